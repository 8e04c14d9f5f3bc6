import type { ReactNode } from 'react'

export interface Fact {
  field: string
  label: string
  content: ReactNode
}

/** Names and values, one below the other. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ field, label, content }) => (
        <div key={field}>
          <dt>{label}</dt>
          <dd>{content}</dd>
        </div>
      ))}
    </dl>
  )
}
