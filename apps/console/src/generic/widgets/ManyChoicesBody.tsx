import { Cascader, Checkbox, Tree } from 'antd'
import { t } from '../../lib/i18n.ts'
import type { CascadeChoice, WidgetProps } from '../view/form-view.ts'

const offered = ({ choices = [] }: WidgetProps['field']) =>
  choices.map(({ value, display_name }) => ({ value: String(value), label: display_name }))

/** Several of a few choices, all in sight. */
export function CheckboxGroup({ value, onChange, disabled, field, id }: WidgetProps<string[]>) {
  return (
    <Checkbox.Group
      {...{ id, role: 'group', 'aria-label': t(field.label) }}
      value={value ?? []}
      disabled={disabled ?? false}
      options={offered(field)}
      onChange={(next) => onChange?.(next)}
    />
  )
}

const ALL = 'all'

/**
 * Choices under one box that ticks them all; `all` in a stored value means every one, and is not
 * sent.
 */
export function ChoiceTree({ value = [], onChange, disabled, field }: WidgetProps<string[]>) {
  const leaves = offered(field).filter((choice) => choice.value !== ALL)
  const ticked = value?.includes(ALL) ? leaves.map((leaf) => leaf.value) : (value ?? [])
  return (
    <Tree
      checkable
      selectable={false}
      defaultExpandAll
      disabled={disabled ?? false}
      checkedKeys={ticked}
      treeData={[
        { key: ALL, title: t('All'), children: leaves.map((leaf) => ({ key: leaf.value, title: leaf.label })) },
      ]}
      onCheck={(keys) =>
        onChange?.((Array.isArray(keys) ? keys : keys.checked).map(String).filter((key) => key !== ALL))
      }
    />
  )
}

interface CascadeOption {
  value: string
  label: string
  children?: CascadeOption[]
}

const asOption = ({ value, label, children }: CascadeChoice): CascadeOption => ({
  value,
  label: t(label),
  ...(children ? { children: children.map(asOption) } : {}),
})

/**
 * A choice in two or more steps (`tree` of the field); the value is the way to it, from the first
 * step to the last.
 */
export function Cascade({ value, onChange, disabled, field, id }: WidgetProps<string[] | null>) {
  return (
    <Cascader
      id={id ?? ''}
      value={value ?? []}
      disabled={disabled ?? false}
      options={(field.tree ?? []).map(asOption)}
      allowClear={field.required !== true}
      showSearch
      placeholder={field.placeholder ?? t('Select')}
      onChange={(next) => onChange?.((next as string[] | undefined) ?? null)}
    />
  )
}
