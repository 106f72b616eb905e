// Ask the browser for a WebGPU device with all that its adapter offers to compute.

const MATRIX = "chromium-experimental-subgroup-matrix"; // behind a flag of Chrome's
const FEATURES = ["shader-f16", "subgroups", "timestamp-query", MATRIX];
const DTYPES = {
  f32: "float32", f16: "float16", i32: "int32", u32: "uint32", i8: "int8", u8: "uint8",
};

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
  const info = describe(adapter);
  const features = [...requiredFeatures];
  if (features.includes(MATRIX)) info.matrices = matrices(adapter.info);
  if (info.matrices.length) features.push("matrix");
  return { device, info, features, limits: requiredLimits };
}

// What matrix units take, as the device reports it: [dtype, result dtype, m, n, k].
export function matrices(info) {
  const configs = [...(info?.subgroupMatrixConfigs ?? [])];
  return configs.map((c) => [
    DTYPES[c.componentType], DTYPES[c.resultComponentType], c.M, c.N, c.K,
  ]).filter(([kind, result]) => kind && result);
}

// What is known of the adapter: a name to show, its kind, and whether it is a CPU
// that plays a GPU.
export function describe(adapter) {
  const info = adapter.info ?? {};
  const words = [info.vendor, info.architecture, info.device].filter(Boolean);
  const name = info.description || words.join(" ") || "unnamed adapter";
  const software = Boolean(info.isFallbackAdapter ?? adapter.isFallbackAdapter)
    || SOFTWARE.test(`${name} ${words.join(" ")}`);
  const driver = words.join(" ");
  return { name, software, driver, matrices: [], kind: software ? "cpu" : kindOf(info) };
}

function kindOf(info) {
  if (/integrated/i.test(info.type ?? "")) return "integrated";
  if (/discrete/i.test(info.type ?? "")) return "discrete";
  return "unknown";
}
