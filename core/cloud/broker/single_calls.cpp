#include "cloud/broker/single_calls.hpp"

#include "cloud/broker/shared_origin.hpp"

#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

SingleCalls::SingleCalls(InstanceSource& source, runtime::Timers& timers)
    : source_(source), timers_(timers), self_(std::make_shared<SingleCalls*>(this)) {}

SingleCalls::~SingleCalls() {
  if (pump_timer_ != 0) timers_.cancel(pump_timer_);
}

// Collects the questions of one moment, so that one describe can answer them all.
void SingleCalls::ask(InstanceQuery query, Done done) {
  waiting_.push_back({std::move(query), std::move(done)});
  if (pump_timer_ != 0) return;
  pump_timer_ = timers_.after(milliseconds(0), [this] {
    pump_timer_ = 0;
    pump();
  });
}

void SingleCalls::pump() {
  while (!waiting_.empty() && running_ < max_parallel_) {
    std::vector<Question> questions;
    while (!waiting_.empty() && questions.size() < batch()) {
      questions.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    if (questions.size() == 1 && source_.can_get()) {
      get(std::move(questions.front()));
    } else {
      describe(std::move(questions));
    }
  }
}

void SingleCalls::ended(const Origin& origin) {
  --running_;
  price_ = std::max<std::size_t>(origin.calls(), 1);
}

void SingleCalls::get(Question question) {
  ++running_;
  const InstanceQuery query = question.query;
  const auto& asks = query.origin;
  const auto origin =
      asks ? std::make_shared<Origin>(asks->controller(), asks->key(), asks->priority())
           : no_origin();
  source_.set_origin(origin);
  source_.get(query, [weak = std::weak_ptr(self_), began = timers_.now(), origin,
                      question = std::move(question)](Result<InstanceSnapshot::Ptr> found) {
    const auto self = weak.lock();
    if (!self) return;
    (*self)->ended(*origin);
    tell_answer(question.query.origin, origin);
    question.done({found.status(), found ? *found : nullptr, 0}, began);
    (*self)->pump();
  });
}

void SingleCalls::describe(std::vector<Question> questions) {
  ++running_;
  std::vector<InstanceQuery> queries;
  queries.reserve(questions.size());
  for (const Question& question : questions) queries.push_back(question.query);
  const auto origin = common_origin(questions);
  source_.set_origin(origin);
  source_.describe(
      std::move(queries), [weak = std::weak_ptr(self_), began = timers_.now(), origin,
                           questions = std::move(questions)](Result<InstanceSnapshot::Ptr> found) {
        const auto self = weak.lock();
        if (!self) return;
        (*self)->ended(*origin);
        if (found && (*found)->size() != questions.size()) {
          found = Status(Code::internal, "the provider described another number of instances");
        }
        for (std::size_t index = 0; index < questions.size(); ++index) {
          tell_answer(questions[index].query.origin, origin);
          questions[index].done({found.status(), found ? *found : nullptr, index}, began);
        }
        (*self)->pump();
      });
}

}  // namespace ccm::plugin
