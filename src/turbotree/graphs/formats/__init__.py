"""Files of other programs: UAI, WCSP and CFN networks in, UAI and WCSP out."""
