/** Parts of texts at the borders of folding, links and tokens. */
export const FRAGMENTS = [
  ' ', '.', '-', '_', '@', ':', '://', '/', '+', '%', '\n', 'a', 'e1f0', 'Z', '1', '10.', '1000', 'http://', 'www.', 'doi:', 'urn:',
  'mailto:', 'hdl:1', 'arxiv:', 'ann@example.org', '10.1000/182', '123e4567-e89b-12d3-a456-426614174000',
  'd41d8cd98f00b204e9800998ecf8427e', 'the ', 'ß', 'ﬁ', 'İ', 'É', 'Ω', '\u0301', '\u0316', '\u0345', '\u0344', '\u0323',
  '\u0301'.repeat(15), '\u0316'.repeat(29), '\u0f73', '\u0958', '\u1ea5', '가', '각', '\u1100', '\u1161', '\u11a8', '\u09c7',
  '\u09be', '\u0dd9', '\u0dcf', '\u0dca', '東', '京', 'カ', '\u3099', 'ー', '\u3007', 'ไ', '\u0e31', '\u203f', '\u00ad', '\u200d',
  '\ufeff', '\u0378', '\ufdfa', '\u{1d165}', '\u{10ffff}', '\ud800', '\udc00',
];
