import { useState } from 'react'
import { Checkbox } from '../inputs/Checkbox.tsx'
import { CheckboxGroup } from '../inputs/CheckboxGroup.tsx'
import { RadioGroup } from '../inputs/RadioGroup.tsx'
import { Segmented } from '../inputs/Segmented.tsx'
import { Switch } from '../inputs/Switch.tsx'

const OPTIONS = [
  { value: 'none', label: 'None' },
  { value: 'folder', label: 'Folder' },
  { value: 'bucket', label: 'Bucket', disabled: true },
] as const
const CARDS = [
  { value: 'none', label: 'None', help: 'Nothing is kept.' },
  { value: 'folder', label: 'Folder', help: 'Kept on this machine.' },
] as const

/** Boxes, buttons and switches of which one or more are chosen, in all states. */
export default function ChoicesGallery() {
  const [isOn, setOn] = useState(true)
  const [many, setMany] = useState<('none' | 'folder' | 'bucket')[]>(['folder'])
  const [one, setOne] = useState<'none' | 'folder' | 'bucket'>('folder')
  return (
    <>
      <Checkbox checked={isOn} onChange={setOn}>
        Ticked
      </Checkbox>
      <Checkbox checked={false} isPartly onChange={setOn}>
        In part
      </Checkbox>
      <Checkbox checked disabled onChange={setOn}>
        Disabled
      </Checkbox>
      <Checkbox checked={false} aria-invalid onChange={setOn}>
        Invalid
      </Checkbox>
      <CheckboxGroup aria-label="Several" options={OPTIONS} value={many} onChange={setMany} />
      <RadioGroup aria-label="One" options={OPTIONS} value={one} onChange={setOne} />
      <RadioGroup aria-label="One below another" isColumn options={OPTIONS} value={one} onChange={setOne} />
      <RadioGroup aria-label="Cards" options={CARDS} value={one} onChange={setOne} />
      <Segmented aria-label="Segments" options={OPTIONS} value={one} onChange={setOne} />
      <Segmented aria-label="Invalid segments" aria-invalid options={OPTIONS} value={undefined} onChange={setOne} />
      <Segmented aria-label="Disabled segments" isBlock disabled options={OPTIONS} value={one} onChange={setOne} />
      <Switch aria-label="Switch" checked={isOn} onChange={setOn} />
      <Switch aria-label="Waiting switch" loading checked={isOn} onChange={setOn} />
    </>
  )
}
