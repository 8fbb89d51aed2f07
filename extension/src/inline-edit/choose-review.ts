/** What a command is about that names no document: the focused one's edit, otherwise the only one. */
export function chooseReview<Document, Review extends { readonly document: Document }>(
  reviews: readonly Review[],
  focused: Document | null,
): Review | 'none' | 'several' {
  const [only] = reviews;
  if (only === undefined) return 'none';
  return reviews.find(({ document }) => document === focused) ?? (reviews.length === 1 ? only : 'several');
}
