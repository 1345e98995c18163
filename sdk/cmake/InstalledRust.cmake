# The installed example in Rust finds the crates where they are installed, and not where they are in the source tree.
set(manifest "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/ccm/examples/provider-rust/Cargo.toml")
file(READ ${manifest} text)
string(REPLACE "../../sdk/rust" "../../rust" text "${text}")
file(WRITE ${manifest} "${text}")
