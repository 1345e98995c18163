// The most common and most expensive includes of the host's files: parsed once for all of them
// (cmake/CcmPrecompiled.cmake). No file relies on it: each includes what it uses, and the preset
// `tidy` builds without.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
