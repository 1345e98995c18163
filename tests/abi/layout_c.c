#include "layout.h"

/* CCM_HAS takes pointers to const and to incomplete versions of a table alike. */
int ccm_layout_has_create(const ccm_plugin* plugin);
int ccm_layout_has_create(const ccm_plugin* plugin) { return CCM_HAS(plugin, create); }
