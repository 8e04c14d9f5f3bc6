import { CopyText } from '../../../generic/detail/CopyText.tsx'
import { t } from '../../../lib/i18n.ts'
import type { ClientLine } from './client-lines.ts'

interface ClientLinesProps {
  lines: readonly ClientLine[]
  /** Whole minutes in which they must be used for the first time. */
  minutes: number
  /** What to beware of, already translated. */
  warning: string
}

/** Lines to copy for one's own clients, how long they hold, and what to beware of. */
export function ClientLines({ lines, minutes, warning }: ClientLinesProps) {
  return (
    <>
      <dl>
        {lines.map(({ client, line }) => (
          <div key={client}>
            <dt>{client}</dt>
            <dd>
              <CopyText text={line} label={client} />
            </dd>
          </div>
        ))}
      </dl>
      <p role="status">
        {t('Valid for {{count|minute|minutes}}, from this computer. No password is needed.', { count: minutes })}
      </p>
      <p className="quiet">{warning}</p>
    </>
  )
}
