/**
 * A path on one line: where it has no room its middle gives way, so that both where it begins and
 * what it leads to can be read. The whole is its tooltip.
 */
export function PathText({ path }: { path: string }) {
  const at = path.lastIndexOf('/', path.length - 2)
  if (at <= 0) return <span title={path}>{path}</span>
  return (
    <span className="path-text" title={path}>
      <span>{path.slice(0, at)}</span>
      <span>{path.slice(at)}</span>
    </span>
  )
}
