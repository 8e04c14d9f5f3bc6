import { Cascader } from 'antd'
import { t } from '../../lib/i18n.ts'
import type { CascadeChoice, WidgetProps } from '../view/form-view.ts'
import { inputState } from './SelectsBody.tsx'

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
export function Cascade({ value, onChange, disabled, field, id, ...state }: WidgetProps<string[] | null>) {
  return (
    <Cascader
      id={id ?? ''}
      {...inputState(state)}
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
