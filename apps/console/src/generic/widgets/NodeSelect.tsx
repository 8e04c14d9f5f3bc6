import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { TreeSelect } from '../../design/boxes/TreeSelect.tsx'
import { type TreeOption, waysIn } from '../../design/boxes/tree-rows.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { bareName, type TreeItem } from '../tree/node-items.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { inputState } from './Selects.tsx'

const TREE = '/api/v1/assets/nodes/tree/'

/**
 * Nodes of the organization as a tree to choose from; the value is node ids, or one id with `many:
 * false`.
 */
export function NodeSelect(props: WidgetProps<string | string[] | null>) {
  const { value, onChange, id, disabled, field } = props
  const many = field.many !== false
  const nodes = useQuery({
    queryKey: keys.list(TREE, {}),
    // Why it fails is said where the nodes would be.
    queryFn: ({ signal }) => api.get<TreeItem[]>(TREE, { signal, quiet: true }),
  })
  const { tree, ways } = useMemo(() => {
    const options = asOptions(nodes.data ?? [])
    return { tree: options, ways: waysIn(options) }
  }, [nodes.data])
  /** The names above a node, the uppermost first, and its own. Not that of the root, which is above all. */
  const namesOf = (node: string) => {
    const way = ways.get(node)
    return way ? [...way.above.slice(1), way.option.text] : [nodes.isFetching ? '…' : node]
  }
  return (
    <TreeSelect
      {...inputState(props)}
      id={id}
      isMultiple={many}
      tree={tree}
      value={Array.isArray(value) ? value : value ? [value] : []}
      wordsOf={(node) => namesOf(node).join(' / ')}
      labelOf={(node) => <NodeWords names={namesOf(node)} />}
      source={{ isLoading: nodes.isFetching, error: nodes.error, onRetry: () => void nodes.refetch() }}
      disabled={disabled}
      placeholder={field.placeholder ?? t('Select')}
      onChange={(next) => onChange?.(many ? next : (next[0] ?? null))}
    />
  )
}

function asOptions(items: readonly TreeItem[]): TreeOption[] {
  const known = new Set(items.map(({ id }) => id))
  const isTop = ({ id, pId }: TreeItem) => pId === id || !known.has(pId)
  const below = Map.groupBy(
    items.filter((item) => !isTop(item)),
    ({ pId }) => pId,
  )
  const optionsIn = (some: readonly TreeItem[]): TreeOption[] =>
    some.map((item) => ({
      value: item.meta.data.id,
      text: bareName(item.name),
      children: optionsIn(below.get(item.id) ?? []),
    }))
  return optionsIn(items.filter(isTop))
}

/** A node by its path, of which the name is never cut: the same name is in many places. */
function NodeWords({ names }: { names: readonly string[] }) {
  const above = names.slice(0, -1)
  return (
    <span className="node-words">
      {above.length > 0 && <span>{above.join(' / ')}</span>}
      {above.length > 0 && ' / '}
      <b>{names.at(-1)}</b>
    </span>
  )
}
