import { useQuery } from '@tanstack/react-query'
import { TreeSelect } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import { NoOptions } from '../../design/LoadFailed.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { bareName, type TreeItem } from '../tree/node-items.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { MoreTags } from './remote-select/MoreTags.tsx'
import { inputState } from './SelectsBody.tsx'

const TREE = '/api/v1/assets/nodes/tree/'
/** So many chosen nodes are shown at first, and so many more each time they are asked for. */
const SHOWN_FIRST = 20
const SHOWN_MORE = 100

interface Option {
  value: string
  title: string
  /** Its text in the box: the path above it, and its name. */
  words: ReactNode
  children: Option[]
}

/**
 * Nodes of the organization as a tree to choose from; the value is node ids, or one id with `many:
 * false`.
 */
export function NodeSelect(props: WidgetProps<string | string[] | null>) {
  const { value, onChange, id, disabled, field } = props
  const [room, setRoom] = useState(SHOWN_FIRST)
  const many = field.many !== false
  const tree = useQuery({
    queryKey: keys.list(TREE, {}),
    // Why it fails is said where the nodes would be.
    queryFn: ({ signal }) => api.get<TreeItem[]>(TREE, { signal, quiet: true }),
  })
  const options = useMemo(() => asOptions(tree.data ?? []), [tree.data])
  return (
    <TreeSelect
      {...inputState(props)}
      id={id ?? ''}
      style={{ width: '100%' }}
      multiple={many}
      maxTagCount={room}
      maxTagPlaceholder={(hidden) => <MoreTags count={hidden.length} onMore={() => setRoom(room + SHOWN_MORE)} />}
      treeNodeLabelProp="words"
      value={value ?? (many ? [] : undefined)}
      disabled={disabled ?? false}
      allowClear
      showSearch={{ treeNodeFilterProp: 'title' }}
      treeDefaultExpandedKeys={options.map((option) => option.value)}
      treeData={options}
      loading={tree.isFetching}
      notFoundContent={<NoOptions isLoading={tree.isFetching} error={tree.error} onRetry={() => void tree.refetch()} />}
      placeholder={field.placeholder ?? t('Select')}
      onChange={(next: string | string[] | null) => onChange?.(next ?? (many ? [] : null))}
    />
  )
}

function asOptions(items: readonly TreeItem[]): Option[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  const options = new Map<string, Option>()
  for (const item of items) {
    const title = bareName(item.name)
    const words = <NodeWords above={namesAbove(item, byId)} name={title} />
    options.set(item.id, { value: item.meta.data.id, title, words, children: [] })
  }
  const roots: Option[] = []
  for (const item of items) {
    const option = options.get(item.id)
    if (option) (options.get(item.pId)?.children ?? roots).push(option)
  }
  return roots
}

/** Names of the nodes above one, the uppermost first; not of the root, which is above all. */
function namesAbove(item: TreeItem, byId: ReadonlyMap<string, TreeItem>): string[] {
  const names: string[] = []
  for (let at = byId.get(item.pId); at && byId.has(at.pId); at = byId.get(at.pId)) names.unshift(bareName(at.name))
  return names
}

/** A node by its path, of which the name is never cut: the same name is in many places. */
function NodeWords({ above, name }: { above: readonly string[]; name: string }) {
  return (
    <span className="node-words" title={[...above, name].join(' / ')}>
      {above.length > 0 && <span>{above.join(' / ')}</span>}
      {above.length > 0 && ' / '}
      <b>{name}</b>
    </span>
  )
}
