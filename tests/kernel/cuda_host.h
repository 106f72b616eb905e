// Lets a C++ compiler run printed CUDA kernels on a CPU, to check them without a GPU.
//
// The threads of a block are fibres with stacks of their own: each runs until it waits
// (a barrier, a step of its warp), then the next has its turn. One block at a time.
#define FOGO_HOST
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n)

struct Place { unsigned x; };
static Place threadIdx, blockIdx, blockDim;

// Fibres.

enum { STACK = 512 << 10, MOST = 1024 };
static ucontext_t fibres[MOST], scheduler;
static char* stacks[MOST];
static bool ended[MOST];
static void (*body)();

static void fibre(int t) {
  body();
  ended[t] = true;
  swapcontext(&fibres[t], &scheduler);
}

static inline void yield_turn() {
  unsigned t = threadIdx.x;
  swapcontext(&fibres[t], &scheduler);
  threadIdx.x = t;
}

// A meeting of `count` fibres: the last to come lets all go on.
struct Meeting { unsigned came, past; };
static Meeting blocks, warps[MOST / 32];

static inline void meet(Meeting& m, unsigned count) {
  unsigned round = m.past;
  if (++m.came == count) {
    m.came = 0;
    m.past++;
  }
  while (m.past == round) yield_turn();
}
static inline void __syncthreads() { meet(blocks, blockDim.x); }
static inline void meet_warp() {
  unsigned rest = blockDim.x - (threadIdx.x & ~31u);
  meet(warps[threadIdx.x / 32], rest < 32 ? rest : 32);
}

static void run_block(unsigned threads, void (*entry)()) {
  body = entry;
  for (unsigned t = 0; t < threads; t++) {
    if (!stacks[t]) stacks[t] = (char*)malloc(STACK);
    getcontext(&fibres[t]);
    fibres[t].uc_stack.ss_sp = stacks[t];
    fibres[t].uc_stack.ss_size = STACK;
    fibres[t].uc_link = &scheduler;
    ended[t] = false;
    makecontext(&fibres[t], (void (*)())fibre, 1, (int)t);
  }
  blocks = {};
  memset(warps, 0, sizeof warps);
  for (bool more = true; more;) {
    more = false;
    for (unsigned t = 0; t < threads; t++) {
      if (ended[t]) continue;
      threadIdx.x = t;
      swapcontext(&scheduler, &fibres[t]);
      more = more || !ended[t];
    }
  }
}

// Warps: all lanes put their value down, wait, and take what they want.

static uint64_t words[MOST];

template <class T> static inline T exchange(T value, unsigned lane_of) {
  static_assert(sizeof(T) <= 8, "a slot holds 8 bytes");
  unsigned t = threadIdx.x;
  memcpy(&words[t], &value, sizeof value);
  meet_warp();
  T found = value;
  if (lane_of < blockDim.x) memcpy(&found, &words[lane_of], sizeof found);
  meet_warp();
  return found;
}

static inline unsigned first_lane() { return threadIdx.x & ~31u; }
template <class T> static inline T __shfl_sync(unsigned, T v, int lane) {
  return exchange(v, first_lane() + (lane & 31));
}
template <class T> static inline T __shfl_xor_sync(unsigned, T v, int mask) {
  return exchange(v, threadIdx.x ^ mask);
}
template <class T> static inline T __shfl_up_sync(unsigned, T v, int by) {
  int lane = threadIdx.x & 31;
  return exchange(v, lane >= by ? threadIdx.x - by : threadIdx.x);
}
template <class T> static inline T __shfl_down_sync(unsigned, T v, int by) {
  int lane = threadIdx.x & 31;
  return exchange(v, lane + by < 32 ? threadIdx.x + by : threadIdx.x);
}
static inline bool vote(bool v, bool all) {
  words[threadIdx.x] = v;
  meet_warp();
  bool found = all;
  for (unsigned t = first_lane(); t < first_lane() + 32 && t < blockDim.x; t++)
    found = all ? found && words[t] : found || words[t];
  meet_warp();
  return found;
}
static inline bool __any_sync(unsigned, bool v) { return vote(v, false); }
static inline bool __all_sync(unsigned, bool v) { return vote(v, true); }

// Atomics: only one fibre runs.

template <class T, class F> static inline T change(T* p, F f) {
  T old = *p;
  *p = f(old);
  return old;
}
#define ATOMIC(name, result) \
  template <class T> static inline T name(T* p, T v) { \
    return change(p, [v](T a) { return (T)(result); }); \
  }
ATOMIC(atomicAdd, a + v)
ATOMIC(atomicSub, a - v)
ATOMIC(atomicMin, v < a ? v : a)
ATOMIC(atomicMax, v > a ? v : a)
ATOMIC(atomicAnd, a & v)
ATOMIC(atomicOr, a | v)
ATOMIC(atomicXor, a ^ v)
ATOMIC(atomicExch, v)
template <class T> static inline T atomicCAS(T* p, T seen, T v) {
  return change(p, [=](T a) { return a == seen ? v : a; });
}

// What PTX does on a GPU.

static inline float half_float(unsigned short h) {
  _Float16 x;
  memcpy(&x, &h, 2);
  return (float)x;
}
static inline unsigned short float_half(float f) {
  _Float16 x = (_Float16)f;
  unsigned short h;
  memcpy(&h, &x, 2);
  return h;
}

// Matrix tiles: each lane holds eight neighbours of the 16 x 16, row by row.

static float tiles[2][MOST][8];

template <class R, class T>
static inline void tile_take(R (&r)[8], const T* p, int s, bool across) {
  int lane = threadIdx.x & 31;
  for (int i = 0; i < 8; i++) {
    int row = lane / 2, col = lane % 2 * 8 + i;
    r[i] = (R)p[across ? col * s + row : row * s + col];
  }
}
#define TILE(role, R, T) \
  static inline void tile_##role##_row(R (&r)[8], const T* p, int s) { \
    tile_take(r, p, s, false); \
  } \
  static inline void tile_##role##_col(R (&r)[8], const T* p, int s) { \
    tile_take(r, p, s, true); \
  }
TILE(left, unsigned, unsigned short)
TILE(right, unsigned, unsigned short)
TILE(result, float, float)
static inline void tile_store(float* p, const float (&r)[8], int s) {
  int lane = threadIdx.x & 31;
  for (int i = 0; i < 8; i++) p[lane / 2 * s + lane % 2 * 8 + i] = r[i];
}
static inline void tile_product(float (&c)[8], const unsigned (&a)[8],
                                const unsigned (&b)[8]) {
  unsigned t = threadIdx.x, first = first_lane();
  for (int i = 0; i < 8; i++) {
    tiles[0][t][i] = half_float((unsigned short)a[i]);
    tiles[1][t][i] = half_float((unsigned short)b[i]);
  }
  meet_warp();
  unsigned row = (t & 31) / 2, col = (t & 31) % 2 * 8;
  for (int i = 0; i < 8; i++)
    for (unsigned k = 0; k < 16; k++)
      c[i] += tiles[0][first + row * 2 + k / 8][k % 8] *
              tiles[1][first + k * 2 + (col + i) / 8][(col + i) % 8];
  meet_warp();
}
#define tile_multiply_row_row tile_product
#define tile_multiply_row_col tile_product
#define tile_multiply_col_row tile_product
#define tile_multiply_col_col tile_product
