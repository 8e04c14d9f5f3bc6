import { type Command, command } from '@sallyport/contract/resources/terminal/command.ts'
import { useQuery } from '@tanstack/react-query'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import styles from '../lists.module.css'

interface Statement {
  text: string
  bytes: number
  sha256: string
  database: string
  program: string
}

/** Characters of a text that are kept (docs/databases.md). */
const KEPT = 64 * 1024

/** A statement with all of its text that is kept, and what came of it: asked for when somebody opens it. */
export function StatementText({ row }: { row: Command }) {
  const path = `${command.path}${row.id}/statement/`
  const statement = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<Statement>(path, { signal, quiet: true }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (statement.isLoadingError) return <LoadFailed error={statement.error} onRetry={() => void statement.refetch()} />
  if (!statement.data) return <Skeleton lines={2} />
  const { text, bytes, sha256, database, program } = statement.data
  return (
    <>
      <pre className={styles.commandOutput}>{row.output ? `${text}\n\n→ ${row.output}` : text}</pre>
      <small className="quiet">
        {[
          text.length >= KEPT ? t('Only the beginning is kept: it had {{bytes}} bytes', { bytes }) : undefined,
          database,
          program,
          sha256 && `SHA-256 ${sha256}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </small>
    </>
  )
}
