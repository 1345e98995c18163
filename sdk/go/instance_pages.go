package ccm

// InstancePage is one page of a listing of instances, with the number of instances that there are as it says.
type InstancePage struct {
	Instances []Instance
	Total     int
}

// ListSteadily makes a listing of the pages that read gives, all of them and in their order. The cloud goes on making and
// deleting instances meanwhile, which moves instances from one page to another: one may stand twice, and another one be
// missed. Then read is called once more, and if that is no better the list says that it is incomplete: new Nodes are
// initialised from it, and instances that it lacks prove nothing.
func ListSteadily(read func() ([]InstancePage, error)) (list InstanceList, err error) {
	for try := 0; try < 2; try++ {
		pages, err := read()
		if err != nil {
			return InstanceList{}, err
		}
		list.Instances = once(pages)
		if heldStill(pages, len(list.Instances)) {
			return list, nil
		}
	}
	list.UnknownPrefixes = []string{""}
	return list, nil
}

// heldStill says whether nothing moved: all pages say the same total, and that number of instances was read, none twice.
func heldStill(pages []InstancePage, distinct int) bool {
	read := 0
	for _, page := range pages {
		read += len(page.Instances)
		if page.Total != pages[0].Total {
			return false
		}
	}
	return len(pages) == 0 || read == pages[0].Total && read == distinct
}

// once gives each instance once, as it was read last.
func once(pages []InstancePage) []Instance {
	all, places := []Instance{}, map[string]int{}
	for _, page := range pages {
		for _, instance := range page.Instances {
			if place, known := places[instance.ProviderID]; known {
				all[place] = instance
				continue
			}
			places[instance.ProviderID] = len(all)
			all = append(all, instance)
		}
	}
	return all
}
