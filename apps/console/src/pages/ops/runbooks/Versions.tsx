import { type Runbook, type RunbookVersion, runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { useQuery } from '@tanstack/react-query'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { api } from '../../../lib/api.ts'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { nameOf } from '../../../lib/name-of.ts'
import { keys } from '../../../lib/query.ts'
import { ChangedLines } from '../ChangedLines.tsx'
import styles from './runbook.module.css'

/** The versions that are kept, newest first, each with what it changed. */
export function Versions({ row: { id } }: DetailProps<Runbook>) {
  const path = `${runbook.path}${encodeURIComponent(id)}/versions/`
  const versions = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<RunbookVersion[]>(path, { signal, quiet: true }),
  })
  if (versions.isLoadingError) return <LoadFailed error={versions.error} onRetry={() => void versions.refetch()} />
  if (!versions.data) return <Skeleton />
  return versions.data.map((one, at) => {
    const before = versions.data[at + 1]
    return (
      <section className={`panel ${styles.runbookVersion}`} key={one.version}>
        <h2>{t('Version {{version}}', { version: one.version })}</h2>
        <p className="quiet">
          {[nameOf(one.created_by ?? ''), formatDate(one.date_created)].filter(Boolean).join(' · ')}
          {!before && one.version > 1 && ` · ${t('The version before it is no longer kept')}`}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard too */}
        <pre tabIndex={0}>{before ? <ChangedLines before={textOf(before)} after={textOf(one)} /> : textOf(one)}</pre>
      </section>
    )
  })
}

/** Steps and variables as one text, of which any change can be seen. */
function textOf({ steps, variables, files }: RunbookVersion): string {
  const known = new Map(files.map((file) => [file.id, file]))
  const contentOf = ({ kind, command, file, path, mode, owner }: RunbookVersion['steps'][number]) => {
    if (kind !== 'file') return command
    const { name, sha256 } = known.get(file ?? '') ?? { name: '', sha256: '' }
    return [`${name} => ${path}`, mode, owner, `sha256 ${sha256}`].filter(Boolean).join(' · ')
  }
  return [
    ...variables.map(({ name, kind, label, value, account }) =>
      kind === 'secret'
        ? `{{${name}}} = ${t('Password of {{account}}', { account: account ?? '' })}`
        : `{{${name}}}${label && ` (${label})`}${value && ` = ${value}`}`,
    ),
    ...steps.map((step, at) => `# ${at + 1}. ${step.name}\n${contentOf(step)}`),
  ].join('\n')
}
