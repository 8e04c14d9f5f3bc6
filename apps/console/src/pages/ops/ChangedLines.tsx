import { lineChanges } from './line-changes.ts'

const SIGNS = { same: ' ', added: '+', removed: '-' }

/** How one text became another, line by line; for a `<pre>`. */
export function ChangedLines({ before, after }: { before: string; after: string }) {
  return lineChanges(before, after).map(({ kind, text }, at) => {
    const Line = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span'
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
      <Line key={at}>{`${SIGNS[kind]} ${text}\n`}</Line>
    )
  })
}
