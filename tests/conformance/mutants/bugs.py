"""Bugs that providers really have, one at a time, in the templates of `ccmctl plugin new`, and those of routes, which the templates do
not have, in examples/provider-hetzner.

Each is a text of a file of the template and what stands in its place then, and the cases that are meant for it: at least one of
them has to fail.
"""
import collections

Bug = collections.namedtuple("Bug", "name what language file text instead cases")


def c(name, what, file, text, instead, *cases):
    return Bug("c_" + name, what, "c", file, text, instead, cases)


def cpp(name, what, file, text, instead, *cases):
    return Bug("cpp_" + name, what, "cpp", file, text, instead, cases)


def go(name, what, file, text, instead, *cases):
    return Bug("go_" + name, what, "go", file, text, instead, cases)


def rust(name, what, file, text, instead, *cases):
    return Bug("rust_" + name, what, "rust", file, text, instead, cases)


def example(name, what, file, text, instead, *cases):
    return Bug("example_" + name, what, "example", file, text, instead, cases)


BUGS = [
    c("first_page", "only the first page of machines is read", "machines.c",
      'next_page(&machines->path, "/machines", ccm_get_text(objects, json, "/next"));', "", "LISTING-18", "LISTING-02"),
    c("page_fails", "a page that fails ends the listing, which succeeds", "machines.c",
      "  if (response->status_code >= 300) return", "  if (response->status_code >= 300 && machines->count > 0) {\n"
      "    machines->go_on = 1;\n    return;\n  }\n  if (response->status_code >= 300) return", "LISTING-05"),
    c("no_list", "an answer without a list is an empty list", "machines.c",
      'if (!ccm_get_is(objects, json, "/machines", CCM_VALUE_ARRAY))', "if (0)", "LISTING-08"),
    c("off_is_terminated", "a machine that is switched off is TERMINATED", "machines.c", "CCM_INSTANCE_SHUTDOWN",
      "CCM_INSTANCE_TERMINATED", "INSTANCES-68"),
    c("first_page_of_balancers", "only the first page of load balancers is searched", "load_balancers.c",
      'next_page(&operation->path, PATH, ccm_get_text(objects, json, "/next"));', "ccm_free(&operation->path);",
      "OWNERSHIP-17", "OWNERSHIP-19"),
    c("list_fails_is_none", "a list of load balancers that fails is an empty one", "load_balancers.c",
      'if (response->status_code >= 300) return ccm_fail_http(operation->done, response, "ListLoadBalancers");',
      "if (response->status_code >= 300) {\n    operation->go_on = 1;\n    ccm_free(&operation->path);\n    return;\n  }",
      "OWNERSHIP-32"),
    c("trusts_id", "the recorded id is taken for a proof", "load_balancers.c",
      'if (!ccm_is(ccm_get_text(objects, json, "/mark"), operation->mark.data)) return 0;',
      'if (!ccm_is(ccm_get_text(objects, json, "/mark"), operation->mark.data) && operation->service->id.len == 0) return 0;',
      "OWNERSHIP-01", "OWNERSHIP-03"),
    c("mark_of_name", "the mark has namespace and name in the place of the UID", "load_balancers.c",
      "ccm_append_text(&operation->mark, service->uid);",
      "ccm_append_text(&operation->mark, service->namespace_name);\n  ccm_append_text(&operation->mark, service->name);",
      "OWNERSHIP-15"),
    c("no_members", "a change of the members is no difference", "load_balancers.c",
      'ccm_get(objects, json, "/spec"),\n                                              '
      'ccm_get(objects, ccm_root(objects, operation->wanted), "/spec"));',
      'ccm_get(objects, json, "/spec/ports"),\n                                              '
      'ccm_get(objects, ccm_root(objects, operation->wanted), "/spec/ports"));', "LOADBALANCERS-23"),
    c("delete_fails", "remove does not look at the answer to its DELETE", "load_balancers.c",
      "if (response->status_code < 300 || response->status_code == 404) return ccm_ok(operation->done, NULL);",
      "if (response->status_code < 600) return ccm_ok(operation->done, NULL);", "OWNERSHIP-21"),
    c("ignores_unknown", "a request with a flag that is unknown is carried out", "provider.c",
      "static void list(void *self, ccm_ctx ctx, const ccm_list_instances_request *request, ccm_completion done) {\n"
      "  CCM_REFUSE_UNKNOWN(request, 0, done);",
      "static void list(void *self, ccm_ctx ctx, const ccm_list_instances_request *request, ccm_completion done) {\n"
      "  (void)request;", "INSTANCES-20"),
    c("completes_twice", "a failed listing is completed twice", "machines.c", "if (machines.go_on) complete(&machines, with_result);",
      "complete(&machines, with_result);", "INSTANCES-04"),
    c("no_address", "the load balancer is ACTIVE without an ingress", "load_balancers.c",
      ".ingress_count = ingress.ip.len > 0 ? 1 : 0", ".ingress_count = 0", "LOADBALANCERS-01"),
    c("everybody", "source ranges are left out, so that everybody comes in", "load_balancers.c",
      "i < service->source_range_count", "i < 0", "LOADBALANCERS-27"),

    cpp("first_page", "only the first page of machines is read", "provider.cpp", 'path = next_page("/machines", *page);',
        "path.clear();", "LISTING-18"),
    cpp("not_found_is_empty", "a 404 for a list is an empty list", "provider.cpp",
        "if (page.ok() && page->at(list).kind() == ccm::ValueKind::array) co_return page;",
        'if (page.status().code() == ccm::Code::not_found) co_return host_.parse("{}");\n'
        "    if (page.ok() && page->at(list).kind() == ccm::ValueKind::array) co_return page;", "LISTING-06", "OWNERSHIP-30"),
    cpp("no_list", "an answer without a list is an empty list", "provider.cpp",
        "if (page.ok() && page->at(list).kind() == ccm::ValueKind::array) co_return page;", "if (page.ok()) co_return page;",
        "LISTING-08", "OWNERSHIP-33"),
    cpp("gone_record", "a recorded id that leads nowhere proves that there is none", "provider.cpp",
        "if (found.ok()) take(search", "if (!found.ok()) co_return search;\n      if (found.ok()) take(search", "OWNERSHIP-30"),
    cpp("no_retry_after", "a 429 does not say when to come back", "api.hpp", "ccm::http_failure(*response, operation);",
        "ccm::http_failure(*response, operation).with_retry_after(std::chrono::seconds(0));", "INSTANCES-30", "OWNERSHIP-22"),
    cpp("blocks", "a listing sleeps on the host's loop", "provider.cpp", "    Machines machines;\n    std::string path",
        "    Machines machines;\n    ::timespec pause{0, 400'000'000};\n    ::nanosleep(&pause, nullptr);\n    std::string path",
        "LISTING-16"),
    cpp("foreign_is_made", "beside somebody else's load balancer another one is made", "provider.cpp",
        "} else if (search->foreign) {", "} else if (false) {", "OWNERSHIP-01"),
    cpp("token_of_the_start", "the token is read once", "api.hpp", "    const std::string token = host_.config.secret(",
        "    static const std::string token = host_.config.secret(", "PROVIDER-10"),
    cpp("first_port", "of a Service's ports the first one alone is served", "provider.cpp", "json.member(\"nodePort\").number(port.node_port);\n            });",
        "json.member(\"nodePort\").number(port.node_port);\n            });\n            break;", "LOADBALANCERS-24"),

    go("first_page", "only the first page of machines is read", "machines.go", 'path = nextPage("/machines", page.Next)', 'path = ""',
       "LISTING-18"),
    go("page_fails", "a page that fails ends the listing, which succeeds", "machines.go",
       '"GET", path, nil, &page); err != nil {\n', '"GET", path, nil, &page); err != nil {\n'
       "\t\t\tif len(list.Instances) > 0 {\n\t\t\t\treturn list, nil\n\t\t\t}\n", "LISTING-05"),
    go("never_complete", "every listing says that it is incomplete", "machines.go", "\treturn list, nil\n}",
       '\tlist.UnknownPrefixes = []string{""}\n\treturn list, nil\n}', "LISTING-18"),
    go("writes_again", "ensure writes whether there is a difference or not", "load_balancers.go",
       "found != nil && reflect.DeepEqual(found.Spec, wanted.Spec)", "found != nil && reflect.DeepEqual(found, wanted.Spec)",
       "LOADBALANCERS-05"),
    go("record_only", "without a recorded id ensure makes one without looking", "load_balancers.go",
       'for path := "/load-balancers"; path != ""; {', 'for path := "/load-balancers"; path != "" && foreign; {', "OWNERSHIP-06"),
    go("removal_fails", "remove takes a failure to look for an absence", "load_balancers.go",
       "\tcase err != nil:\n\t\treturn err\n\tcase found == nil && foreign:", "\tcase err != nil:\n\t\treturn nil\n\tcase found == nil && foreign:",
       "OWNERSHIP-51", "OWNERSHIP-52"),
    go("no_quota", "a limit of the account is a failure without a class", "api.go",
       "if err := ccm.HTTPFailure(operation, response); err != nil",
       'if response.StatusCode == 402 {\n\t\treturn errors.New(operation + ": no further one")\n\t}\n'
       "\tif err := ccm.HTTPFailure(operation, response); err != nil", "OWNERSHIP-14"),
    go("environment", "the environment of the process is changed", "main.go", '\t_, err := p.ListInstances(ctx)\n\treturn err',
       '\tos.Setenv("TZ", "UTC")\n\t_, err := p.ListInstances(ctx)\n\treturn err', "PROCESS-02"),
    go("prints", "something is written on standard output", "main.go", '\t_, err := p.ListInstances(ctx)\n\treturn err',
       '\t_, err := p.ListInstances(ctx)\n\tos.Stdout.WriteString("logged in\\n")\n\treturn err', "PROCESS-05"),
    go("unauthorized", "a 401 is a failure without a class", "api.go", "if err := ccm.HTTPFailure(operation, response); err != nil",
       'if response.StatusCode == 401 {\n\t\treturn errors.New(operation + ": the token is wrong")\n\t}\n'
       "\tif err := ccm.HTTPFailure(operation, response); err != nil", "INSTANCES-31", "LOADBALANCERS-51"),
    go("name", "machines are listed with their id for a name", "machines.go", "Name:       found.Name,", "Name:       found.ID,", "LISTING-19"),
    go("no_addresses", "machines have no addresses", "machines.go",
       '\t\tAddresses:  []ccm.NodeAddress{{Type: "InternalIP", Address: found.Address}},\n', "", "LISTING-20"),
    go("node_port", "another node port is no difference", "load_balancers.go",
       "\tcase found != nil && reflect.DeepEqual(found.Spec, wanted.Spec):\n",
       "\tcase found != nil && len(found.Spec.Ports) == 1 && len(wanted.Spec.Ports) == 1 &&\n"
       "\t\tfound.Spec.Ports[0].Port == wanted.Spec.Ports[0].Port && found.Spec.Ports[0].Protocol == wanted.Spec.Ports[0].Protocol &&\n"
       "\t\treflect.DeepEqual(found.Spec.Machines, wanted.Spec.Machines) && reflect.DeepEqual(found.Spec.Sources, wanted.Spec.Sources):\n"
       "\t\treturn resultOf(found, \"\"), nil\n"
       "\tcase found != nil && reflect.DeepEqual(found.Spec, wanted.Spec):\n", "LOADBALANCERS-25"),

    rust("first_page", "only the first page of machines is read", "src/lib.rs", 'next = next_page("/machines", &page);', "next = None;",
         "LISTING-18"),
    rust("off_is_hidden", "machines that are switched off are not listed", "src/lib.rs",
         'page.at("/machines").elements().into_iter().map(instance)',
         'page.at("/machines").elements().into_iter().map(instance).filter(|each| each.state == InstanceState::Running)',
         "INSTANCES-68"),
    rust("first_page_of_balancers", "only the first page of load balancers is searched", "src/lib.rs",
         'next = next_page("/load-balancers", &page);', "next = None;", "OWNERSHIP-17", "OWNERSHIP-19"),
    rust("no_ports", "a change of the ports is no difference", "src/lib.rs", 'value.at("/spec") == wanted.at("/spec")',
         'value.at("/spec/machines") == wanted.at("/spec/machines")', "LOADBALANCERS-09"),
    rust("tcp", "every port is one of TCP", "src/lib.rs", '("protocol", Json::from(&port.protocol))', '("protocol", Json::from("TCP"))',
         "LOADBALANCERS-26"),
    rust("deletes_foreign", "remove deletes what the recorded id leads to", "src/lib.rs",
         'Search::Foreign => Err(Error::not_owned(format!("load balancer {} is somebody else\'s", service.id))),',
         'Search::Foreign => self.api.call(&ctx, "DeleteLoadBalancer", "DELETE", &path_of(&service.id), None).await.map(|_| ()),',
         "OWNERSHIP-03"),
    rust("no_adoption", "a load balancer that the administrator gave is not taken over", "src/lib.rs",
         "_ if !service.adopt_id.is_empty()", "_ if false", "OWNERSHIP-05"),
    rust("prefix", "provider IDs have a prefix that is not declared", "src/lib.rs", 'format!("@NAME@://{}", text("/id"))',
         'format!("cloud://{}", text("/id"))', "INSTANCES-06"),
    rust("token_in_error", "the message of an error has the token", "src/api.rs", "response.check(operation).map(Some)",
         "response.check(operation).map(Some).map_err(|mut error| {\n            error.message += &token;\n            error\n        })",
         "PROVIDER-07"),
    rust("no_id", "the load balancer has no id in the result", "src/lib.rs",
         "let (id, difference) = (found.id, difference.to_string());",
         "let (id, difference) = (String::new(), difference.to_string());", "LOADBALANCERS-01"),
    rust("page_not_found", "a 404 for a page of load balancers is the end of the list", "src/lib.rs",
         'let response = response.ok_or_else(|| Error::unavailable(format!("{operation}: HTTP 404")))?;\n        let page',
         'let body = response.map_or_else(|| format!("{{\\"{}\\":[]}}", &list[1..]).into_bytes(), |response| response.body);\n'
         "        let response = HttpResponse { status: 200, headers: Vec::new(), body };\n        let page", "OWNERSHIP-30", "LISTING-06"),

    example("rate_limit_of_a_route", "a 429 for a change of a route passes for a network that works on another one", "routes.go",
            'if err != nil && !isCode(err, "locked") {', 'if err != nil && !isCode(err, "locked", "") {', "ROUTES-24"),
    example("locked_is_a_mistake", "a change that comes while the cloud works passes for a mistake in the Service", "balancers.go",
            "\tif err != nil || running {\n\t\treturn pending(found), err\n\t}\n\tif len(steps) == 0 {\n\t\treturn found.result(w), nil",
            '\tif err == nil && running && len(steps) > 0 {\n\t\treturn nil, ccm.InvalidSpec("load balancer %d is locked", found.ID)\n\t}\n'
            "\tif err != nil || running {\n\t\treturn pending(found), err\n\t}\n\tif len(steps) == 0 {\n\t\treturn found.result(w), nil",
            "LOADBALANCERS-28"),
]
