# filled by the ABI checks
