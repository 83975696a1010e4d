"""Factor graphs with hard constraints: the best assignment with a proof, or marginals."""
