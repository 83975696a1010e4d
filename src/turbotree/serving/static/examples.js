// Sentences to begin with, for parsers (words with tags) and for pipelines (text).

export const EXAMPLES = {
  tagged: {
    "Telescope": "I/PRON saw/VERB the/DET man/NOUN with/ADP a/DET telescope/NOUN ./PUNCT",
    "Hearing": "A/DET hearing/NOUN is/AUX scheduled/VERB on/ADP the/DET issue/NOUN today/NOUN ./PUNCT",
    "Long": "The/DET committee/NOUN ,/PUNCT which/PRON had/AUX met/VERB twice/ADV in/ADP the/DET " +
      "spring/NOUN to/PART discuss/VERB the/DET report/NOUN ,/PUNCT decided/VERB that/SCONJ the/DET " +
      "bridge/NOUN over/ADP the/DET river/NOUN should/AUX be/AUX closed/VERB for/ADP repairs/NOUN " +
      "before/SCONJ the/DET winter/NOUN storms/NOUN arrive/VERB ,/PUNCT although/SCONJ many/ADJ " +
      "people/NOUN use/VERB it/PRON daily/ADV ./PUNCT",
  },
  text: {
    "Telescope": "I saw the man with a telescope.",
    "Hearing": "A hearing is scheduled on the issue today.",
    "Two sentences": "Time flies like an arrow. Fruit flies like a banana.",
  },
};
