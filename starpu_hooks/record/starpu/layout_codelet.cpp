// starpu_hooks/record/starpu/layout_codelet.cpp: finds the fields of a codelet.
#include "starpu_hooks/record/starpu/canary.h"

namespace perseid::starpu {

namespace {

class CodeletProbe {
 public:
  CodeletProbe(const StarpuApi& api, const Constants& constants, Canaries& canaries, uint64_t seed,
               CodeletLayout& layout) noexcept
      : api_(api), constants_(constants), canaries_(canaries), seed_(seed), layout_(layout) {}

  /// Null, or what was not found.
  const char* run() noexcept {
    const size_t size = measure(
        canaries_,
        [](void* at, const StarpuApi& starpu) {
          starpu.starpu_codelet_init(static_cast<Codelet*>(at));
        },
        api_);
    if (size == 0) return "size of a codelet";
    layout_.size = static_cast<uint16_t>(size);
    codelet_ = reinterpret_cast<Codelet*>(canaries_.first);
    if (!find_values()) return "values of a codelet";
    if (!find_functions()) return "functions of a codelet";
    if (!find_buffers()) return "buffers of a codelet";
    return nullptr;
  }

 private:
  /// Offset of the value that `write` puts into the codelet.
  template <class T, class Write>
  uint16_t find(T value, Write write) noexcept {
    canaries_.before.take(codelet_, layout_.size);
    write(value);
    canaries_.after.take(codelet_, layout_.size);
    return canaries_.after.find(value, canaries_.before);
  }

  void* pointer(unsigned index) const noexcept {
    return reinterpret_cast<void*>(((seed_ + index) * 0x9e3779b97f4a7c15) >> 20 | 1);
  }

  bool find_values() noexcept {
    const auto* name = static_cast<const char*>(pointer(1));
    auto* model = static_cast<PerformanceModel*>(pointer(2));
    const auto where = static_cast<uint32_t>(seed_ * 0x9e3779b97f4a7c15 >> 34 | 1);
    layout_.name =
        find(name, [&](const char* value) { api_.fstarpu_codelet_set_name(codelet_, value); });
    layout_.model = find(
        model, [&](PerformanceModel* value) { api_.fstarpu_codelet_set_model(codelet_, value); });
    layout_.where =
        find(where, [&](uint32_t value) { api_.fstarpu_codelet_set_where(codelet_, value); });
    return layout_.name != kNotFound && layout_.model != kNotFound && layout_.where != kNotFound;
  }

  bool find_functions() noexcept {
    const auto in = [this](void (*add)(Codelet*, void*), unsigned index) {
      return find(pointer(index), [&](void* value) { add(codelet_, value); });
    };
    const auto flag_in = [this](void (*add)(Codelet*, intptr_t)) {
      return find(static_cast<char>(0x5b), [&](char value) { add(codelet_, value); });
    };
    layout_.cpu_funcs = in(api_.fstarpu_codelet_add_cpu_func, 3);
    layout_.cuda_funcs = in(api_.fstarpu_codelet_add_cuda_func, 4);
    layout_.opencl_funcs = in(api_.fstarpu_codelet_add_opencl_func, 5);
    layout_.cuda_flags = flag_in(api_.fstarpu_codelet_add_cuda_flags);
    layout_.opencl_flags = flag_in(api_.fstarpu_codelet_add_opencl_flags);
    for (const uint16_t found : {layout_.cpu_funcs, layout_.cuda_funcs, layout_.opencl_funcs,
                                 layout_.cuda_flags, layout_.opencl_flags})
      if (found == kNotFound) return false;
    // Each array of functions is followed by its flags, so the distance is the array's length.
    constexpr uint16_t kPointer = sizeof(void*);
    constexpr uint16_t kMaxCount = 64;
    layout_.implementations =
        static_cast<uint16_t>((layout_.cuda_flags - layout_.cuda_funcs) / kPointer);
    const int bytes = layout_.implementations * kPointer;
    return layout_.implementations >= 1 && layout_.implementations <= kMaxCount &&
           layout_.cuda_flags - layout_.cuda_funcs == bytes &&
           layout_.opencl_flags - layout_.opencl_funcs == bytes &&
           layout_.cuda_funcs - layout_.cpu_funcs == bytes;
  }

  bool find_buffers() noexcept {
    const auto read = static_cast<int>(api_.fstarpu_get_constant("FSTARPU_R"));
    const auto both = static_cast<int>(api_.fstarpu_get_constant("FSTARPU_RW"));
    canaries_.before.take(codelet_, layout_.size);
    api_.fstarpu_codelet_add_buffer(codelet_, both);
    api_.fstarpu_codelet_add_buffer(codelet_, read);
    canaries_.after.take(codelet_, layout_.size);
    const int modes[] = {both, read};
    layout_.modes = canaries_.after.find(modes, sizeof modes, sizeof(int), canaries_.before);
    layout_.nbuffers = canaries_.after.find(2, canaries_.before);
    if (layout_.modes == kNotFound || layout_.nbuffers == kNotFound) return false;
    constexpr int kAlign = sizeof(void*);
    const int modes_end = layout_.modes + constants_.max_buffers * int{sizeof(int)};
    layout_.dyn_modes = static_cast<uint16_t>((modes_end + kAlign - 1) / kAlign * kAlign);
    api_.fstarpu_codelet_set_variable_nbuffers(codelet_);
    return field<int>(codelet_, layout_.nbuffers) == constants_.variable_buffers &&
           layout_.dyn_modes + sizeof(void*) <= layout_.size;
  }

  const StarpuApi& api_;
  const Constants& constants_;
  Canaries& canaries_;
  uint64_t seed_;
  CodeletLayout& layout_;
  Codelet* codelet_ = nullptr;
};

}  // namespace

bool probe_codelet(const StarpuApi& api, const Constants& constants, Canaries& canaries,
                   uint64_t seed, CodeletLayout& layout, const char*& doubt) noexcept {
  doubt = CodeletProbe(api, constants, canaries, seed, layout).run();
  return !doubt;
}

}  // namespace perseid::starpu
