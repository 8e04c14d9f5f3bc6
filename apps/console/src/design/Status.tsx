import type { ReactNode } from 'react'

/** The meaning of a state for the reader: fine, worth a look, wrong, for information, or nothing. */
export type Tone = 'good' | 'warning' | 'danger' | 'info' | 'quiet'

/** A state in a word, with a dot of its tone before it; the word alone says it all. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  )
}

/** A short word on a ground of its tone: a kind, a label, a count. */
export function Chip({ tone = 'quiet', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="chip" data-tone={tone}>
      {children}
    </span>
  )
}
