/** A text with the first place of `found` in it marked; as it is where that is not in it. */
export function MarkedText({ text, found }: { text: string; found: string }) {
  const at = found ? text.indexOf(found) : -1
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{found}</mark>
      {text.slice(at + found.length)}
    </>
  )
}
