// Trees in CoNLL-U: heads and relations put into its lines, everything else left as it is.

const WORD = /^\d+\t/;

/** The text of a sentence with another tree. */
export function withTree(conllu, heads, labels) {
  let word = 0;
  return conllu.split("\n").map((line) => {
    if (!WORD.test(line)) return line;
    const cells = line.split("\t");
    cells[6] = String(heads[word]);
    cells[7] = labels[word];
    word += 1;
    return cells.join("\t");
  }).join("\n");
}

/** Whether following the heads from each word leads to the root. */
export function isTree(heads) {
  return heads.every((_, i) => {
    let at = i + 1;
    for (let step = 0; at && step <= heads.length; step += 1) at = heads[at - 1];
    return at === 0;
  });
}
