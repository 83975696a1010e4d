"""The experiments, in the order of the report."""

from turbotree.experiments.catalogue import (
    admm2011_figures,
    admm2011_tables,
    koo2010_figures,
    koo2010_table1,
    koo2010_table2,
    koo2010_table3,
    sparsity2011,
    sparsity2011_table1,
    sparsity2011_table2,
    turbo2010_table2,
    turbo2010_table3,
)

EXPERIMENTS = (
    koo2010_table1.EXPERIMENT,
    koo2010_table2.EXPERIMENT,
    koo2010_table3.EXPERIMENT,
    koo2010_figures.FIGURE_3,
    koo2010_figures.FIGURE_4,
    admm2011_tables.TABLE_2,
    admm2011_tables.TABLE_3,
    admm2011_figures.FIGURE_2,
    admm2011_figures.FIGURE_3,
    admm2011_figures.FIGURE_4,
    turbo2010_table2.LOSSES,
    turbo2010_table2.COMPLETE,
    turbo2010_table3.EXPERIMENT,
    sparsity2011_table1.EXPERIMENT,
    sparsity2011_table2.EXPERIMENT,
    sparsity2011.FIGURE_2,
    sparsity2011.FIGURE_3,
    sparsity2011.FIGURE_3_OTHERS,
    sparsity2011.TABLE_3,
)
