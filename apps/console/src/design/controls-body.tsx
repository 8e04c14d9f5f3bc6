import { Checkbox as AntCheckbox, InputNumber as AntInputNumber } from 'antd'

export const Checkbox = AntCheckbox
export const CheckboxGroup = AntCheckbox.Group<string>
export const InputNumber = AntInputNumber<number>
