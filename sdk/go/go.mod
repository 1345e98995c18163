module ccm

go 1.19
