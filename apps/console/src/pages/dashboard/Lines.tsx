import { spoken } from '@sallyport/contract/names.ts'
import type { ReactNode } from 'react'
import { Named } from '../../design/Named.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { When } from '../../generic/cells/When.tsx'
import { nameOf } from '../../lib/name-of.ts'
import styles from './dashboard.module.css'

export interface Line {
  id: string
  /** Address that it is read from. */
  to?: string | undefined
  main: ReactNode
  note?: ReactNode
  /** When it was or will be: a date of the wire. */
  when?: unknown
  action?: ReactNode
}

/** Events and things in two lines each, with their time at the right. */
export function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <ul className={styles.lines}>
      {lines.map(({ id, to, main, note, when, action }) => (
        <li key={id}>
          <div>
            <span className={styles.lineMain}>
              <LinkedWords to={to}>{main}</LinkedWords>
            </span>
            {note && <span className={styles.lineNote}>{note}</span>}
          </div>
          {when !== undefined && <When value={when} />}
          {action}
        </li>
      ))}
    </ul>
  )
}

/** Person and place in one line: the place is never cut. */
export function BriefWhoWhere({ user, asset }: { user: string; asset: string }) {
  return (
    <span title={`${spoken(user)} → ${spoken(asset)}`}>
      <bdi>{nameOf(user)}</bdi> <span aria-hidden="true">→</span> <bdi>{nameOf(asset)}</bdi>
    </span>
  )
}

/** Person and place. */
export function WhoWhere({ user, asset }: { user: string; asset: string }) {
  return (
    <>
      <Named text={user} /> <span aria-hidden="true">→</span> <Named text={asset} />
    </>
  )
}
