import { useQuery } from '@tanstack/react-query'
import { TreeSelect } from 'antd'
import { useMemo } from 'react'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { bareName, type TreeItem } from '../tree/node-items.ts'
import type { WidgetProps } from '../view/form-view.ts'

const TREE = '/api/v1/assets/nodes/tree/'

interface Option {
  value: string
  title: string
  children: Option[]
}

/**
 * Nodes of the organisation as a tree to choose from; the value is node ids, or one id with `many:
 * false`.
 */
export function NodeSelect({ value, onChange, id, disabled, field }: WidgetProps<string | string[] | null>) {
  const many = field.many !== false
  const tree = useQuery({
    queryKey: keys.list(TREE, {}),
    queryFn: ({ signal }) => api.get<TreeItem[]>(TREE, { signal }),
  })
  const options = useMemo(() => asOptions(tree.data ?? []), [tree.data])
  return (
    <TreeSelect
      id={id ?? ''}
      style={{ width: '100%' }}
      multiple={many}
      value={value ?? (many ? [] : undefined)}
      disabled={disabled ?? false}
      allowClear
      showSearch={{ treeNodeFilterProp: 'title' }}
      treeDefaultExpandedKeys={options.map((option) => option.value)}
      treeData={options}
      loading={tree.isFetching}
      placeholder={field.placeholder ?? t('Select')}
      onChange={(next: string | string[] | null) => onChange?.(next ?? (many ? [] : null))}
    />
  )
}

function asOptions(items: readonly TreeItem[]): Option[] {
  const options = new Map(
    items.map((item) => [item.id, { value: item.meta.data.id, title: bareName(item.name), children: [] as Option[] }]),
  )
  const roots: Option[] = []
  for (const item of items) {
    const option = options.get(item.id)
    if (option) (options.get(item.pId)?.children ?? roots).push(option)
  }
  return roots
}
