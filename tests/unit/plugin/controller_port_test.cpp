// A controller's queue from any thread, hints, and JSON that is no Kubernetes object.
#include "host_services_fixture.hpp"
#include "plugin/component_controller.hpp"
#include "plugin/host_services/hint_service.hpp"

#include <array>
#include <set>
#include <thread>

namespace ccm::plugin {
namespace {

class OutsideNewsTest : public HostServicesTest {
 protected:
  void add_services(ComponentHost& host) override {
    HostServicesTest::add_services(host);
    host.add(std::make_unique<QueueService>(component_, port_));
    host.add(std::make_unique<HintService>(component_, [this](const CloudHint& hint) {
      EXPECT_TRUE(loop_.on_loop());
      hints_.push_back(std::to_string(hint.kind) + " " + hint.name + " " + hint.namespace_name +
                       " " + hint.uid + " " + hint.provider_id + " " + hint.id);
    }));
  }
  void add(std::string_view key, int32_t priority = CCM_PRIORITY_CHANGED, int64_t delay_ms = 0) {
    const ccm_host_queue* queue = nullptr;
    const ccm_interface service = plugin_.service(CCM_HOST_QUEUE, &queue);
    auto item = sized<ccm_queue_item>();
    item.key = c_str(key);
    item.priority = priority;
    item.delay_ms = delay_ms;
    queue->add(service.self, &item);
  }
  void take() {
    port_->on_item([this](const ControllerPort::Item& item) {
      EXPECT_TRUE(loop_.on_loop());
      items_.push_back(item.key + " " + std::to_string(item.priority) + " " +
                       std::to_string(item.delay.count()));
    });
  }

  const std::shared_ptr<ControllerPort> port_ = std::make_shared<ControllerPort>();
  std::vector<std::string> items_;
  std::vector<std::string> hints_;
};

TEST_F(OutsideNewsTest, KeysThatComeEarlyWaitForTheController) {
  ASSERT_TRUE(create(true).ok());
  std::thread outside([&] { add("early", CCM_PRIORITY_PERIODIC, 5); });
  outside.join();
  poll();
  loop_.post([this] {
    add("on the loop");
    take();
    EXPECT_EQ(items_, (std::vector<std::string>{"early 1 5", "on the loop 0 0"}));
  });
  poll();
  EXPECT_EQ(items_.size(), 2u);
}

TEST_F(OutsideNewsTest, ManyThreadsAddAtOnce) {
  ASSERT_TRUE(create(true).ok());
  loop_.post([this] { take(); });
  poll();
  std::array<std::thread, 4> threads;
  for (std::size_t which = 0; which < threads.size(); ++which) {
    threads[which] = std::thread([this, which] {
      for (int number = 0; number < 200; ++number) {
        add(std::to_string(which) + "/" + std::to_string(number));
      }
    });
  }
  poll_until([&] { return items_.size() == 800; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::string>(items_.begin(), items_.end()).size(), 800u);
}

TEST_F(OutsideNewsTest, WhatIsNoKeyIsIgnored) {
  ASSERT_TRUE(create(true).ok());
  loop_.post([this] {
    take();
    add("");
    add("negative", 77, -5);
    const ccm_host_queue* queue = nullptr;
    const ccm_interface service = plugin_.service(CCM_HOST_QUEUE, &queue);
    queue->add(service.self, nullptr);
    auto shorter = sized<ccm_queue_item>();
    shorter.key = c_str("short");
    shorter.delay_ms = 99;
    shorter.size = offsetof(ccm_queue_item, delay_ms);
    queue->add(service.self, &shorter);
  });
  poll();
  EXPECT_EQ(items_, (std::vector<std::string>{"negative 77 0", "short 0 0"}));
}

TEST_F(OutsideNewsTest, AfterTheEndNobodyTakesAnything) {
  ASSERT_TRUE(create(true).ok());
  loop_.post([this] { take(); });
  poll();
  const ccm_host_queue* queue = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_QUEUE, &queue);
  component_->destroy(1s, [](const Status&) {});
  poll();
  component_.reset();
  auto item = sized<ccm_queue_item>();
  item.key = c_str("late");
  std::thread stray([&] { queue->add(service.self, &item); });
  stray.join();
  poll();
  EXPECT_TRUE(items_.empty());
}

TEST_F(OutsideNewsTest, R_120_HintsComeFromAnyThreadAsTheyAre) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_hint* hints = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_HINT, &hints);
  auto machine = sized<ccm_hint>();
  machine.kind = CCM_HINT_INSTANCE;
  machine.name = c_str("n1");
  machine.provider_id = c_str("test://1");
  auto balancer = sized<ccm_hint>();
  balancer.kind = CCM_HINT_LOAD_BALANCER;
  balancer.name = c_str("web");
  balancer.namespace_ = c_str("shop");
  balancer.uid = c_str("u-1");
  balancer.id = c_str("lb-1");
  auto unknown = machine;
  unknown.kind = 9;
  auto shorter = balancer;
  shorter.size = offsetof(ccm_hint, uid);
  std::thread outside([&] {
    for (const ccm_hint* hint : {&machine, &balancer, &unknown, &shorter}) {
      hints->changed(service.self, hint);
    }
    hints->changed(service.self, nullptr);
  });
  outside.join();
  EXPECT_TRUE(hints_.empty()) << "posted";
  poll();
  EXPECT_EQ(hints_, (std::vector<std::string>{"1 n1   test://1 ", "2 web shop u-1  lb-1",
                                              "2 web shop   "}));
}

TEST_F(OutsideNewsTest, AnyJsonObjectIsParsed) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_object* objects = nullptr;
  const ccm_interface reader = plugin_.service(CCM_HOST_OBJECT, &objects);
  const auto text_at = [&](const ccm_object* object, const char* pointer) {
    ccm_str text{};
    objects->text(reader.self, objects->find(reader.self, object, c_str(pointer)), &text);
    return std::string(view(text));
  };
  std::thread outside([&] {
    std::string answer = R"({"server": {"id": "s-1", "ports": [80, 443.5]}, "more": null})";
    const ccm_object* parsed = objects->parse(reader.self, c_str(answer));
    ASSERT_NE(parsed, nullptr);
    answer.assign(answer.size(), 'x');  // nothing is borrowed from the text
    EXPECT_EQ(text_at(parsed, "/server/id"), "s-1");
    EXPECT_EQ(text_at(parsed, "/server/ports/1"), "443.5");
    EXPECT_EQ(objects->kind(reader.self, objects->find(reader.self, parsed, c_str("/more"))),
              CCM_VALUE_NULL);
    objects->retain(reader.self, parsed);
    objects->release(reader.self, parsed);
    EXPECT_EQ(text_at(parsed, "/server/id"), "s-1");
    objects->release(reader.self, parsed);
  });
  outside.join();
}

TEST_F(OutsideNewsTest, WhatIsNoJsonObjectIsNone) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_object* objects = nullptr;
  const ccm_interface reader = plugin_.service(CCM_HOST_OBJECT, &objects);
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t level = 0; level < depth; ++level) text += R"({"a":)";
    return text + "1" + std::string(depth, '}');
  };
  for (const std::string& text :
       {std::string(), std::string("[1]"), std::string("\"a\""), std::string("{\"a\":}"),
        std::string("{} {}"), std::string("{\"a\":1"), nested(129),
        std::string("{\"a\":1}\0", 8)}) {
    EXPECT_EQ(objects->parse(reader.self, c_str(text)), nullptr) << text;
  }
  EXPECT_EQ(objects->parse(reader.self, {nullptr, 0}), nullptr);
  const std::string deepest = nested(127);
  const ccm_object* parsed = objects->parse(reader.self, c_str(deepest));
  EXPECT_NE(parsed, nullptr);
  objects->release(reader.self, parsed);
  const ccm_object* empty = objects->parse(reader.self, c_str("{}"));
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(view(objects->json(reader.self, empty)), "{}");
  objects->release(reader.self, empty);
}

}  // namespace
}  // namespace ccm::plugin
