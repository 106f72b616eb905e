// Ask the browser for a WebGPU device with all that its adapter offers to compute.

const FEATURES = [
  "shader-f16", "subgroups", "timestamp-query",
  "chromium-experimental-subgroup-matrix",
];

const LIMITS = [
  "maxBufferSize", "maxStorageBufferBindingSize", "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize", "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension", "maxUniformBufferBindingSize",
];

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|software|basic render/i;

// Resolves to null if the browser has no WebGPU or no adapter; throws if there is
// an adapter that gives no device.
export async function requestDevice() {
  const adapter = await navigator.gpu?.requestAdapter({
    powerPreference: "high-performance",
  });
  if (!adapter) return null;
  const requiredFeatures = FEATURES.filter((name) => adapter.features.has(name));
  const requiredLimits = {};
  for (const name of LIMITS) {
    if (adapter.limits[name] !== undefined) requiredLimits[name] = adapter.limits[name];
  }
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
  return { device, info: describe(adapter), features: requiredFeatures,
    limits: requiredLimits };
}

// What is known of the adapter: a name to show, its kind, and whether it is a CPU
// that plays a GPU.
export function describe(adapter) {
  const info = adapter.info ?? {};
  const words = [info.vendor, info.architecture, info.device].filter(Boolean);
  const name = info.description || words.join(" ") || "unnamed adapter";
  const software = Boolean(info.isFallbackAdapter ?? adapter.isFallbackAdapter)
    || SOFTWARE.test(`${name} ${words.join(" ")}`);
  return { name, software, kind: software ? "cpu" : kindOf(info) };
}

function kindOf(info) {
  if (/integrated/i.test(info.type ?? "")) return "integrated";
  if (/discrete/i.test(info.type ?? "")) return "discrete";
  return "unknown";
}
