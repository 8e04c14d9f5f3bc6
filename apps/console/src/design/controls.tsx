/**
 * Controls of the component library that pages use beside the generic ones; from here they come
 * only when they are drawn.
 */
import type { CheckboxProps, InputNumberProps } from 'antd'
import type { CheckboxGroupProps } from 'antd/es/checkbox/index.js'
import { lazily } from './lazily.tsx'

export const Checkbox = lazily<CheckboxProps>(() => import('./controls-body.tsx').then((m) => m.Checkbox))
export const CheckboxGroup = lazily<CheckboxGroupProps<string>>(() =>
  import('./controls-body.tsx').then((m) => m.CheckboxGroup),
)
export const InputNumber = lazily<InputNumberProps<number>>(() =>
  import('./controls-body.tsx').then((m) => m.InputNumber),
)
