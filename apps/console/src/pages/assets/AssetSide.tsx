import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import { RelationCard } from '../../generic/detail/RelationCard.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api, type RequestOptions } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { assetsBelow } from './assets-below.ts'
import { DestinationsAlert, type MovedWords } from './DestinationsAlert.tsx'
import { HostKeysCard } from './HostKeysCard.tsx'

const ASSET_MOVED: MovedWords = {
  title: msg('This asset was moved'),
  meaning: msg(
    'Stored passwords and keys are not sent to {{destinations}}. A machine that shows the host key known so far is let in by itself; otherwise a system administrator confirms the address, or trusts the new host key below.',
  ),
  whenSure: msg('Only when you know that this machine is the same, or who moved it and why: {{destinations}}'),
}

/** Cards beside an asset's facts: where it hangs in the tree, its labels, its host keys. */
export function AssetSide({ row, refresh }: DetailProps) {
  const nodes = (row.nodes ?? []) as string[]
  const labels = (row.labels_display ?? []) as string[]
  const save = (next: string[], options: RequestOptions = {}) =>
    api.patch(`${asset.path}${row.id}/`, { nodes: next }, options)
  return (
    <>
      <DestinationsAlert owner={`${asset.path}${row.id}/`} words={ASSET_MOVED} />
      <RelationCard
        title={t('Nodes')}
        related={{
          path: node.path,
          query: { ids: nodes.join() },
          words: (one) => String(one.full_value),
          address: (one) => assetsBelow(one.id),
        }}
        choose={{ path: node.path, display: '{full_value}' }}
        add={(ids) => save([...nodes, ...ids])}
        remove={(one) =>
          save(
            nodes.filter((id) => id !== one.id),
            { failed: t('Remove failed') },
          )
        }
        onChanged={() => void refresh()}
      />
      {labels.length > 0 && (
        <section className="panel">
          <h2>{t('Labels@@card')}</h2>
          <div className="inside tags">
            {labels.map((label) => (
              <span key={label} className="tag">
                {label}
              </span>
            ))}
          </div>
        </section>
      )}
      <HostKeysCard owner={`${asset.path}${row.id}/`} />
    </>
  )
}
