# The targets for users. Each target installs the Debian packages that it needs (apt, only what is missing) and builds what
# it runs, so that one of them is all a fresh machine ever needs. CMakePresets.json has the finer choices.
.DEFAULT_GOAL := help
SHELL := /bin/bash

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
# The long suites wait for what others do: they use a fifth of a processor each.
TEST_JOBS ?= $(shell echo $$((2 * $(JOBS))))
# More flags for ctest, whatever runs it.
CTEST_FLAGS ?=
FUZZ_SECONDS ?= 300
# The release of k8s.io/cloud-provider with which `make test-cluster` compares the manager.
UPSTREAM ?= 0.37.2

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

packages-%:
	@tools/install-packages $*

configure: packages-build
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release -B $(BUILD) $(CMAKE_FLAGS)

programs: configure ## the host, the plugins, ccmctl and ccm-sandbox: what is shipped
	@[ -x $(BUILD)/bin/ccm-sandbox ] || echo "Compiling, once: about 8 minutes on two cores; [N/M] counts the steps"
	@cmake --build $(BUILD) -j $(JOBS) --target programs

build: configure ## the host, the plugins, ccmctl, ccm-sandbox and all tests
	@cmake --build $(BUILD) -j $(JOBS)

demo: packages-demo programs ## a small cluster and a small cloud on this machine: watch nodes being initialised
	@$(BUILD)/bin/ccm-demo $(if $(KEEP),--keep)

test: packages-test build ## unit, ABI and sandbox suites
	@ctest --test-dir $(BUILD) -LE kube -j $(TEST_JOBS) --output-on-failure --no-tests=error $(CTEST_FLAGS)

test-kube: packages-test packages-kube build ## contract suite and scenarios on a real kube-apiserver
	@tests/kube-apiserver/build.sh $(BUILD)/tests/kube-apiserver
	@cmake -B $(BUILD) -DCCM_KUBE_APISERVER=$(abspath $(BUILD))/tests/kube-apiserver >/dev/null
	@ctest --test-dir $(BUILD) -L kube -j $(TEST_JOBS) --output-on-failure --no-tests=error $(CTEST_FLAGS)

test-kube-versions: packages-test packages-kube build ## the same on the newest patches of four Kubernetes releases; writes docs/cluster.md
	@tests/kube-apiserver/versions $(BUILD) $(KUBERNETES)

test-chart: packages-chart packages-kube programs ## the Helm chart and the manifests made from it, also on a real kube-apiserver
	@tests/chart/helm/build.sh $(BUILD)/tests/helm
	@tests/kube-apiserver/build.sh $(BUILD)/tests/kube-apiserver
	@cmake -B $(BUILD) -DCCM_HELM=$(abspath $(BUILD))/tests/helm -DCCM_KUBE_APISERVER=$(abspath $(BUILD))/tests/kube-apiserver >/dev/null
	@ctest --test-dir $(BUILD) -L chart --output-on-failure --no-tests=error $(CTEST_FLAGS)

test-cluster: packages-test packages-kube packages-chart programs ## a cluster of real Kubernetes programs with hollow kubelets, on two clouds, and beside a Go manager
	@tests/cluster/build.sh $(BUILD)/tests/kubernetes
	@cmake --build $(BUILD) -j $(JOBS) --target digitalocean-api
	@for test in taints control_plane leader_migration cluster; do PYTHONDONTWRITEBYTECODE=1 tests/cluster/$${test}_test.py $(BUILD)/tests/kubernetes $(BUILD) || exit; done
	@tools/upstream/compare $(UPSTREAM) $(BUILD) --kube-apiserver $(BUILD)/tests/kubernetes/kube-apiserver

# Node's own packages bring npm, too, and exclude Debian's.
site: packages-site $(if $(shell command -v npm),,packages-npm) programs ## the documentation as a site that needs no network, in build/site/html
	@docs/site/tools $(BUILD)/site
	@PYTHONDONTWRITEBYTECODE=1 $(BUILD)/site/tools/bin/python docs/site/build.py $(BUILD) $(BUILD)/site

test-openstack: packages-openstack configure ## contract suite and the whole manager on OpenStack's own services
	@tests/openstack/install $(BUILD)/openstack
	@cmake --build $(BUILD) -j $(JOBS) --target openstack_contract_test openstack_services_manager_test
	@rm -rf $(BUILD)/openstack-services
	@CCM_TEST_PATIENCE=180 $(BUILD)/openstack/bin/python tests/openstack/services.py $(BUILD)/openstack-services \
	  sh -ec '$(BUILD)/bin/openstack_contract_test; $(BUILD)/bin/openstack_services_manager_test'

test-aws: packages-kube configure ## contract suite, `plugin check --live` and the way from AWS's own manager on moto, a stand-in for AWS that others wrote
	@tests/aws/install $(BUILD)/aws
	@PYTHONDONTWRITEBYTECODE=1 $(BUILD)/aws/bin/python tests/aws/names.py --models
	@cmake --build $(BUILD) -j $(JOBS) --target aws node node-lifecycle service aws_contract_test ccmctl ccm-sandbox cloud-controller-manager
	@PYTHONDONTWRITEBYTECODE=1 $(BUILD)/aws/bin/python tests/aws/services.py $(BUILD)/aws-services \
	  sh -ec '$(BUILD)/bin/aws_contract_test; tests/aws/live_test.py $(BUILD)/bin/ccmctl $(BUILD)/lib/ccm/providers/aws.so; \
	    $(BUILD)/aws/bin/python tests/aws/migration_test.py $(BUILD)'

test-mutants: packages-test build ## typical bugs, one at a time, in the templates of `ccmctl plugin new`: the conformance cases find them
	@PYTHONDONTWRITEBYTECODE=1 tests/conformance/mutants/mutants_test.py $(BUILD)

test-growth: packages-test build ## scenarios with a host built with larger headers than its plugins, and the other way round
	@TEST_JOBS=$(TEST_JOBS) tests/abi/growth $(BUILD) build-growth

bench: packages-bench packages-kube programs image-programs ## print the performance tables (real kube-apiserver) of the packaged programs
	@cmake --build $(BUILD) -j $(JOBS) --target bench
	@tests/kube-apiserver/build.sh $(BUILD)/tests/kube-apiserver
	@PROGRAMS=build-package bench/run $(BUILD)

build-asan build-tsan: build-%: packages-test
	@cmake --preset $* >/dev/null
	@cmake --build --preset $* -j $(JOBS)

# ThreadSanitizer does not see how the threads of Rust and Go wait for one another.
UNFIT_tsan := -E '(example_in_(rust|go)_runs|binary_1.0_(rust|go))'

# GCC 12's runtime misreads some blocks of thread-local memory, and LeakSanitizer crashes on what it read.
SOUND_asan := intercept_tls_get_addr=0

asan: build-asan ## the suites under AddressSanitizer and UndefinedBehaviorSanitizer
tsan: build-tsan ## the suites under ThreadSanitizer
# A report counts, whatever the suites say.
asan tsan: reports = $(abspath build-$@)/reports
asan tsan:
	@rm -rf $(reports) && mkdir $(reports)
	@ASAN_OPTIONS=$(SOUND_asan):log_path=$(reports)/r UBSAN_OPTIONS=log_path=$(reports)/r TSAN_OPTIONS=log_path=$(reports)/r \
	  ctest --preset $@ -LE kube $(UNFIT_$@) -j $(TEST_JOBS) --no-tests=error $(CTEST_FLAGS); \
	  status=$$?; if grep -s '' $(reports)/*; then exit 1; fi; exit $$status

churn: packages-test programs ## 200,000 events of Nodes and Services with changes of the leader and an API server that goes away, CHURN_FLAGS for more
	@cmake --build $(BUILD) -j $(JOBS) --target event_churn
	@$(BUILD)/bin/event_churn --events=200000 $(CHURN_FLAGS)

fuzz: packages-fuzz ## libFuzzer on every parser, FUZZ_SECONDS (default 300) each, FUZZ_TARGETS (default all)
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@tests/fuzz/run build-fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

lint: packages-lint configure ## formatting, includes, link lines and clang-tidy
	@tools/lint $(BUILD)

# The linter of workflows, from its Go module. It needs a newer Go than Debian 12 has.
lint-workflows: packages-workflows ## actionlint on .github/workflows, shellcheck on all shell scripts
	@[ -x $(BUILD)/tools/actionlint ] || { mkdir -p $(BUILD)/tests && GO_FOLDER=$(abspath $(BUILD))/tests && . tests/kube-apiserver/go.sh && \
	  GOBIN=$(abspath $(BUILD))/tools go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12; }
	@$(BUILD)/tools/actionlint -shellcheck shellcheck .github/workflows/*.yml
	@shellcheck -x -P SCRIPTDIR -S warning $$(git grep -lE '^#! ?/(usr/)?bin/(env )?(ba|da)?sh')

abi-lock: packages-test ## write tests/abi/v1.lock and the Rust declarations again, after an addition to the plugin ABI
	@tests/abi/lock/abi_lock.py write sdk/include tests/abi/v1.lock
	@tests/abi/lock/abi_lock.py write-rust sdk/include sdk/rust/ccm-sys/src/abi.rs
	@git --no-pager diff --stat -- tests/abi/v1.lock sdk/rust/ccm-sys

# No test is installed, and the SDK alone needs no program.
install: configure ## copy host, plugins, tools and SDK to PREFIX (default /usr/local), or COMPONENT= alone
	@cmake --build $(BUILD) -j $(JOBS) --target $(if $(filter sdk,$(COMPONENT)),ccm_sdk_testing,programs)
	@cmake --install $(BUILD) --prefix $(PREFIX) $(if $(COMPONENT),--component $(COMPONENT))

deb: packages-deb ## Debian packages of host, plugins, tools and SDK in build-package/packages
	@cmake --preset package >/dev/null
	@cmake --build --preset package -j $(JOBS)
	@deploy/debian/build build-package

test-deb: deb packages-demo packages-sign packages-image ## install the packages into a folder of their own, run the demo from them, purge them; sign with a key of the test
	@tests/packages/check.py build-package/packages
	@tests/packages/parts_test.py
	@tests/packages/sign_test.py

test-sbom: PLUGINS = node,node-lifecycle,service,route,aws,digitalocean,openstack,static
test-sbom: deb image packages-site ## spdx-tools read the SPDX documents of the packages and of the image
	@[ -x $(BUILD)/sbom/bin/pyspdxtools ] || { python3 -m venv $(BUILD)/sbom && $(BUILD)/sbom/bin/pip -q install -r tests/packages/sbom_requirements.txt; }
	@$(BUILD)/sbom/bin/python tests/packages/sbom_check.py build-package/packages/*.spdx.json $(image_tree)/image-sbom

test-rpm: packages-rpm ## the RPM spec with rpmbuild, and the APKBUILD in a shell, on stand-ins of programs and plugins
	@tests/packages/rpm_test.py
	@tests/packages/apk_test.py

test-debian: packages-debian ## dpkg-buildpackage and lintian in bare systems of DEBIAN="bookworm trixie" (as root; compiles all for each)
	@tests/packages/fresh_debian $(or $(DEBIAN),bookworm trixie)

sign: $(if $(KEY),packages-sign) ## sign SHA256SUMS of the packages, and the images that were made, with gpg's key KEY
	@[ -n "$(KEY)" ] || { echo "usage: make sign KEY=FINGERPRINT, of a secret key that gpg has" >&2; exit 2; }
	@deploy/sign "$(KEY)" build-package/packages/SHA256SUMS $(wildcard build-package/image.tar build-arm64/image.tar build-image.tar)

dist: ## the sources of the newest commit as an archive in build-dist, the same bytes each time
	@mkdir -p build-dist
	@set -o pipefail; name=ccm-$$(tools/release version host); \
	  git archive --prefix=$$name/ HEAD | gzip -9n >build-dist/$$name.tar.gz && sha256sum build-dist/$$name.tar.gz

# The tree that an image is made from, and the libraries that it takes.
ARCH ?= $(shell dpkg --print-architecture)
ifeq ($(ARCH),$(shell dpkg --print-architecture))
image_tree   := build-package
image_flags  :=
else
image_tree   := build-$(ARCH)
image_flags  := --sysroot=$(image_tree)/sysroot
endif

cross: packages-$(ARCH) ## all programs and plugins for ARCH=arm64 in build-arm64
	@tools/sysroot $(ARCH) build-$(ARCH)/sysroot
	@cmake --preset $(ARCH) >/dev/null
	@cmake --build --preset $(ARCH) -j $(JOBS)

image-programs: packages-build
	@cmake --preset package >/dev/null
	@cmake --build --preset package -j $(JOBS) --target programs

image: packages-image $(if $(image_flags),cross,image-programs) ## an OCI image of the host and PLUGINS=node,node-lifecycle,service,digitalocean; ARCH=arm64 for that processor
	@deploy/image/build.py $(image_tree) --plugins=$(PLUGINS) $(image_flags) \
	  --version=$$(tools/release version host) --revision=$$(git rev-parse HEAD)

test-image: packages-image packages-test-image $(if $(image_flags),cross,packages-build) ## build images, hold them against OCI's specification and run them in a folder of their own
	@$(if $(image_flags),:,cmake --preset package >/dev/null && cmake --build --preset package -j $(JOBS))
	@CCM_KUBE_APISERVER=$${CCM_KUBE_APISERVER:-$(abspath $(BUILD))/tests/kube-apiserver} tests/image/check.py $(image_tree) $(if $(image_flags),$(image_tree)/sysroot)

clean: ## remove the build trees
	@rm -rf build build-*

.PHONY: help configure programs build demo test test-kube test-chart test-cluster site test-openstack test-aws test-growth test-mutants bench build-asan build-tsan asan tsan churn fuzz lint lint-workflows abi-lock install deb test-deb test-sbom test-rpm test-debian sign dist cross image image-programs test-image clean
