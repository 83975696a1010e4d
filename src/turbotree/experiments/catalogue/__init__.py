"""The experiments, in the order of the report."""

from turbotree.experiments.catalogue import admm2011, koo2010, sparsity2011, turbo2010

EXPERIMENTS = (
    koo2010.table1.EXPERIMENT,
    koo2010.table2.EXPERIMENT,
    koo2010.table3.EXPERIMENT,
    koo2010.figures.FIGURE_3,
    koo2010.figures.FIGURE_4,
    admm2011.tables.TABLE_2,
    admm2011.tables.TABLE_3,
    admm2011.figures.FIGURE_2,
    admm2011.figures.FIGURE_3,
    admm2011.figures.FIGURE_4,
    admm2011.examples.EXPERIMENT,
    turbo2010.table2.LOSSES,
    turbo2010.table2.COMPLETE,
    turbo2010.table3.EXPERIMENT,
    turbo2010.text.CONVERGENCE,
    turbo2010.text.PERCEPTRON,
    turbo2010.text.FLOWS,
    sparsity2011.fig1.EXPERIMENT,
    sparsity2011.table1.EXPERIMENT,
    sparsity2011.table1.FIGURE_2,
    sparsity2011.table2.EXPERIMENT,
    sparsity2011.selection.FIGURE_2,
    sparsity2011.selection.FIGURE_3,
    sparsity2011.selection.FIGURE_3_OTHERS,
    sparsity2011.selection.TABLE_3,
)
