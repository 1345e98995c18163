// Each way to hand a callback over to the host, and an owner that counts what became of it.
#pragma once

#include "host_services_fixture.hpp"
#include "plugin/host_services/file_service.hpp"

#include <atomic>

namespace ccm::plugin {

// Counts on any thread.
struct Owner {
  std::atomic<int> calls{0};
  std::atomic<int> drops{0};
  ccm_callback callback() {
    return {[](void* owner) { ++static_cast<Owner*>(owner)->calls; },
            [](void* owner) { ++static_cast<Owner*>(owner)->drops; }, this};
  }
};

// The services that take callbacks, as a component finds them.
class CallbackMatrixTest : public HostServicesTest {
 protected:
  // One way to hand a callback over. `number` is what remove() takes.
  struct Way {
    const char* name;
    std::function<uint64_t(ccm_callback)> add;
    std::function<void(uint64_t)> remove;  // empty: it cannot be removed
    std::function<void()> happen;          // what it waits for
    bool repeats = false;
  };

  void add_services(ComponentHost& host) override {
    HostServicesTest::add_services(host);
    host.add(std::make_unique<FileService>(component_, files_, rejections_));
  }

  std::vector<Way> ways() {
    const auto timer = plugin_.service(CCM_HOST_TIMER, &timer_);
    const auto post = plugin_.service(CCM_HOST_POST, &post_);
    const auto ctx = plugin_.service(CCM_HOST_CTX, &ctx_);
    const auto file = plugin_.service(CCM_HOST_FILE, &file_);
    const auto end = [this] { component_->background()->cancel(); };
    std::vector<Way> all;
    all.push_back({"timer.after",
                   [=, this](ccm_callback one) { return timer_->after(timer.self, 10, one); },
                   [=, this](uint64_t number) { timer_->cancel(timer.self, number); },
                   [this] { advance(10ms); }});
    all.push_back({"post",
                   [=, this](ccm_callback one) { return post_->post(post.self, one), 1U; },
                   {},
                   [this] { poll(); }});
    all.push_back({"ctx.on_end",
                   [=, this](ccm_callback one) { return ctx_->on_end(ctx.self, {}, one); },
                   [=, this](uint64_t number) { ctx_->remove_on_end(ctx.self, {}, number); },
                   [=, this] { end(), poll(); }});
    all.push_back({"file.watch",
                   [=, this](ccm_callback one) {
                     const std::string watched = path_ + ".watched";
                     return file_->watch(file.self, c_str(watched), one);
                   },
                   [=, this](uint64_t number) { file_->unwatch(file.self, number); },
                   [this] { change_file(); }, true});
    return all;
  }

  void change_file() {
    const std::string watched = path_ + ".watched";
    std::ofstream(watched) << std::string(++changes_, 'x');
    Owner control;
    // It is looked at last: when it is told of, the others have been.
    const uint64_t number = files_.watch(path_ + ".written_last", [&] { ++control.calls; });
    std::ofstream(path_ + ".written_last") << std::string(changes_, 'x');
    poll_until([&] {
      advance(1s);
      return control.calls > 0;
    });
    files_.unwatch(number);
    std::filesystem::remove(path_ + ".written_last");
  }

  ~CallbackMatrixTest() override {
    std::filesystem::remove(path_ + ".watched");
    std::filesystem::remove(path_ + ".written_last");
  }

  void begin_again() {
    host_.reset();
    component_.reset();
    plugin_.destroyed = 0;
    ASSERT_TRUE(create(true).ok());
  }
  void end_component() {
    component_->destroy(1s, [](const Status&) {});
    poll();
    ASSERT_EQ(plugin_.destroyed, 1);
  }

  WatchedFiles files_{loop_, timers_, 1s};
  std::size_t changes_ = 0;
  const ccm_host_timer* timer_ = nullptr;
  const ccm_host_post* post_ = nullptr;
  const ccm_host_ctx* ctx_ = nullptr;
  const ccm_host_file* file_ = nullptr;
};

}  // namespace ccm::plugin
