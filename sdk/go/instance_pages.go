package ccm

// InstancePage is one page of a listing of instances.
type InstancePage struct {
	Instances []Instance
	Total     int // how many instances there are, as the page says; 0 where the cloud does not tell
}

// ListSteadily makes a listing of the pages that read gives, all of them and in their order. The cloud goes on making and
// deleting instances meanwhile, which moves instances from one page to another: one may stand twice, and another one be
// missed. Then read is called once more. Where the cloud tells no total, more than one page is read until two readings in a
// row have the same instances, three times at most. If that is no better the list says that it is incomplete: new Nodes are
// initialised from it, and instances that it lacks prove nothing.
func ListSteadily(read func() ([]InstancePage, error)) (list InstanceList, err error) {
	var before map[string]int
	for try := 0; try < 3; try++ {
		pages, err := read()
		if err != nil {
			return InstanceList{}, err
		}
		all, places := once(pages)
		list.Instances = all
		withoutTotal := !tellTotal(pages)
		if heldStill(pages, len(all)) || withoutTotal && countOf(pages) == len(all) && sameIDs(before, places) {
			return list, nil
		}
		if !withoutTotal && try == 1 {
			break
		}
		before = places
	}
	list.UnknownPrefixes = []string{""}
	return list, nil
}

func tellTotal(pages []InstancePage) bool {
	for _, page := range pages {
		if page.Total != 0 {
			return true
		}
	}
	return false
}

func countOf(pages []InstancePage) int {
	read := 0
	for _, page := range pages {
		read += len(page.Instances)
	}
	return read
}

// heldStill says whether nothing moved: all pages say the same total, and that number of instances was read, none twice.
// Without a total a single page proves it, and more of them prove nothing.
func heldStill(pages []InstancePage, distinct int) bool {
	read := countOf(pages)
	for _, page := range pages {
		if page.Total != pages[0].Total {
			return false
		}
	}
	if !tellTotal(pages) {
		return read == distinct && (len(pages) <= 1 || read == 0)
	}
	return read == pages[0].Total && read == distinct
}

func sameIDs(a, b map[string]int) bool {
	if a == nil || len(a) != len(b) {
		return false
	}
	for id := range a {
		if _, there := b[id]; !there {
			return false
		}
	}
	return true
}

// once gives each instance once, as it was read last, and their places by provider ID.
func once(pages []InstancePage) (all []Instance, places map[string]int) {
	all, places = []Instance{}, map[string]int{}
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
	return all, places
}
