import { Tree } from 'antd'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { ACTION_TREE, type ActionNode, actionsToSend, leaves, offeredTree, tickedLeaves } from './permission-actions.ts'

interface TreeItem {
  key: string
  title: string
  children?: TreeItem[]
}

const item = ({ key, title, children }: ActionNode): TreeItem => ({
  key,
  title: t(title),
  ...(children ? { children: children.map(item) } : {}),
})

/** Tree of check boxes for what a permission allows. */
export function ActionsTree({ value, onChange, field, disabled }: WidgetProps<string[]>) {
  const tree = offeredTree(ACTION_TREE, field.choices?.map((choice) => String(choice.value)) ?? leaves(ACTION_TREE))
  if (!tree) return null
  return (
    <Tree
      checkable
      selectable={false}
      defaultExpandAll
      disabled={disabled ?? false}
      checkedKeys={tickedLeaves(value ?? [])}
      treeData={[item(tree)]}
      onCheck={(checked) => onChange?.(actionsToSend((Array.isArray(checked) ? checked : checked.checked).map(String)))}
    />
  )
}
