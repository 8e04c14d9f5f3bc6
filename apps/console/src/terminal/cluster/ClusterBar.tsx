import { ArrowLeftIcon, RotateCwIcon, SquareIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { Select } from '../../design/boxes/Select.tsx'
import { SearchInput } from '../../design/inputs/SearchInput.tsx'
import { t } from '../../lib/i18n.ts'
import type { Ask } from '../pane/questions.ts'
import { whyNotAsked, whyNotStopped } from '../pane/why-not.ts'
import { isNamespaced, KIND_TITLES, kindsFor } from './kinds.ts'
import { NamespaceSelect } from './NamespaceSelect.tsx'
import type { Listing } from './objects.ts'
import type { ObjectList } from './use-object-list.ts'

interface ClusterBarProps {
  ask: Ask
  isConnected: boolean
  isAsking: boolean
  mayNodes: boolean
  listing: Listing
  list: ObjectList
  filter: string
  /** How many objects match the filter, if there is one. */
  found: number | undefined
  isWide: boolean
  onLook: (to: Partial<Listing>) => void
  onFilter: (text: string) => void
  onWide: (isWide: boolean) => void
  onReload: () => void
  onStop: () => void
  /** Back to the list, on a phone. */
  onBack: () => void
}

/** The bar of a cluster: what is listed, and how much of it is loaded. */
export function ClusterBar(props: ClusterBarProps) {
  const { ask, isConnected, listing, filter, isWide, onLook } = props
  const { kind, namespace, selector } = listing
  return (
    <div className="tool-pane-bar">
      <Button
        type="text"
        size="small"
        className="kb-back"
        icon={<ArrowLeftIcon />}
        aria-label={t('Back to the list')}
        onClick={props.onBack}
      />
      <Select
        size="small"
        className="kb-kind"
        aria-label={t('Kind')}
        value={kind}
        onChange={(one) => onLook({ kind: one })}
        options={kindsFor(props.mayNodes).flatMap(({ title, kinds }) =>
          kinds.map((one) => ({ value: one, label: t(KIND_TITLES[one]), group: title })),
        )}
      />
      {isNamespaced(kind) && (
        <NamespaceSelect
          {...{ ask, isConnected }}
          value={namespace}
          onChange={(one) => onLook({ namespace: one, selector })}
        />
      )}
      <SearchInput
        isSmall
        className="data-grid-filter"
        placeholder={t('Filter the list')}
        aria-label={t('Filter the list')}
        value={filter}
        onChange={props.onFilter}
      />
      <Button size="small" aria-pressed={isWide} onClick={() => props.onWide(!isWide)}>
        {t('All columns')}
      </Button>
      <Button
        type="text"
        size="small"
        icon={<RotateCwIcon />}
        aria-label={t('Reload the list')}
        whyDisabled={whyNotAsked(isConnected)}
        onClick={props.onReload}
      />
      <Button size="small" icon={<SquareIcon />} whyDisabled={whyNotStopped(props.isAsking)} onClick={props.onStop}>
        {t('Stop')}
      </Button>
      <span className="tool-pane-state">
        <span className="tool-pane-count" role="status">
          {countOf(props.list, props.found)}
        </span>
      </span>
    </div>
  )
}

/** How many there are, as far as that is known. */
function countOf({ rows, next, remaining, isLoading, isFull, problem }: ObjectList, found: number | undefined): string {
  const count = rows.length
  if (next === undefined) return ''
  if (found !== undefined && next !== '' && !problem && !isFull)
    return t('{{found}} of {{count}}, looking on', { found, count })
  if (found !== undefined) return t('{{found}} of {{count}}', { found, count })
  if (next === '') return t('{{count|object|objects}}', { count })
  if (isFull) return t('{{count|object|objects}} are loaded, and no more are', { count })
  if (remaining !== undefined) return t('{{count}} of {{all}} objects', { count, all: count + remaining })
  return isLoading
    ? t('{{count|object|objects}}, loading more', { count })
    : t('{{count|object|objects}} so far', { count })
}
