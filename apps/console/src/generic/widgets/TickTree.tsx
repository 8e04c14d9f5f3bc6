import { Checkbox } from '../../design/inputs/Checkbox.tsx'
import { t } from '../../lib/i18n.ts'
import {
  ACTION_TREE,
  type ActionNode,
  actionsToSend,
  leaves,
  offeredTree,
  tickedLeaves,
} from '../permission-actions/action-tree.ts'
import type { WidgetProps } from '../view/form-view.ts'

interface TreeNode {
  key: string
  /** Already translated. */
  title: string
  children?: TreeNode[]
}

interface TickTreeProps {
  node: TreeNode
  /** Keys of leaves. */
  ticked: readonly string[]
  disabled: boolean | undefined
  onTick: (ticked: string[]) => void
}

const leafKeys = ({ key, children }: TreeNode): string[] => children?.flatMap(leafKeys) ?? [key]

/** A box, and below it those that it ticks together. */
function TickTree({ node, ticked, disabled, onTick }: TickTreeProps) {
  const below = leafKeys(node)
  const count = below.filter((key) => ticked.includes(key)).length
  return (
    <li>
      <Checkbox
        checked={count === below.length}
        isPartly={count > 0 && count < below.length}
        disabled={disabled}
        onChange={(now) => onTick([...ticked.filter((key) => !below.includes(key)), ...(now ? below : [])])}
      >
        {node.title}
      </Checkbox>
      {node.children && (
        <ul>
          {node.children.map((child) => (
            <TickTree key={child.key} node={child} ticked={ticked} disabled={disabled} onTick={onTick} />
          ))}
        </ul>
      )}
    </li>
  )
}

const translated = ({ key, title, children }: ActionNode): TreeNode => ({
  key,
  title: t(title),
  ...(children ? { children: children.map(translated) } : {}),
})

/** The actions of a permission. */
export function ActionsTree({ value, onChange, field, disabled, id }: WidgetProps<string[]>) {
  const tree = offeredTree(ACTION_TREE, field.choices?.map((choice) => String(choice.value)) ?? leaves(ACTION_TREE))
  if (!tree) return null
  return (
    <ul className="tick-tree" id={id} aria-label={t(field.label)}>
      <TickTree
        node={translated(tree)}
        ticked={tickedLeaves(value ?? [])}
        disabled={disabled}
        onTick={(ticked) => onChange?.(actionsToSend(ticked))}
      />
    </ul>
  )
}

const ALL = 'all'

/**
 * Choices under one box that ticks them all; `all` in a stored value means every one, and is not
 * sent.
 */
export function ChoiceTree({ value, onChange, disabled, field, id }: WidgetProps<string[]>) {
  const children = (field.choices ?? [])
    .filter((choice) => choice.value !== ALL)
    .map((choice) => ({ key: String(choice.value), title: choice.display_name }))
  return (
    <ul className="tick-tree" id={id} aria-label={t(field.label)}>
      <TickTree
        node={{ key: ALL, title: t('All'), children }}
        ticked={value?.includes(ALL) ? children.map(({ key }) => key) : (value ?? [])}
        disabled={disabled}
        onTick={(ticked) => onChange?.(children.map(({ key }) => key).filter((key) => ticked.includes(key)))}
      />
    </ul>
  )
}
