# SPDX-License-Identifier: Apache-2.0
# dh --with ccm: the dependency of a package of plugins on the plugin ABI.
use strict;
use warnings;
use Debian::Debhelper::Dh_Lib;

insert_before('dh_gencontrol', 'dh_ccm');

1;
