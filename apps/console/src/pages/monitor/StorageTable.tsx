import type { MonitorStorage, StorageKind } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { Status } from '../../design/Status.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { When } from '../../generic/cells/When.tsx'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { MonitorTable } from '../ops/monitor/MonitorTable.tsx'
import styles from '../ops/monitor/monitor.module.css'

/** Where a storage is set; the one of the start's settings has no page. */
function pageOf({ id, kind }: MonitorStorage): string | undefined {
  if (kind === 'recordings') return undefined
  return addressOf(kind === 'replay' ? 'ReplayStorageUpdate' : 'CommandStorageUpdate', { id })
}

/** Storages outside, and whether they can be used; nothing where there are none. */
export function StorageTable({ storages }: { storages: readonly MonitorStorage[] }) {
  if (!storages.length) return null
  const kinds: Record<StorageKind, string> = {
    replay: t('Replay storage'),
    command: t('Command storage'),
    recordings: t('Recordings of all nodes'),
  }
  return (
    <section className="panel" aria-label={t('Storages')}>
      <h2>{t('Storages')}</h2>
      <MonitorTable
        label={t('Storages')}
        rows={storages}
        keyOf={({ id }) => id}
        none=""
        columns={[
          { title: t('Storage@@column'), draw: (one) => <LinkedWords to={pageOf(one)}>{one.name}</LinkedWords> },
          { title: t('Kind'), draw: ({ kind }) => kinds[kind] },
          {
            title: t('State'),
            draw: ({ is_away }) =>
              is_away ? (
                <Status tone="danger">{t('Cannot be used')}</Status>
              ) : (
                <Status tone="good">{t('Can be used')}</Status>
              ),
          },
          { title: t('Since'), draw: ({ date_since }) => <When value={date_since} /> },
          { title: t('Error'), draw: ({ error }) => error && <span className={styles.jobError}>{error}</span> },
        ]}
      />
    </section>
  )
}
