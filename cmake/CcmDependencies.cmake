# Third parties, all from Debian 12. Their headers are system headers, so our warnings stay ours.
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_package(simdjson REQUIRED)
if(CCM_BUILD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# Asio and Beast are compiled once (cmake/asio_beast.cpp) instead of in every file that includes them.
add_library(ccm_asio STATIC ${CMAKE_CURRENT_LIST_DIR}/asio_beast.cpp)
target_link_libraries(ccm_asio PUBLIC Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
target_link_libraries(ccm_asio PRIVATE ccm_options)
target_compile_definitions(ccm_asio PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE
  # The memory of that many coroutine frames of up to 1 kB is kept for the next ones: a request is six frames deep.
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=8)
