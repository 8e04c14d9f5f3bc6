import { namesOf } from '../names.ts'
import radios from './RadioGroup.module.css'
import { type ChoiceProps, Radios } from './RadioGroup.tsx'
import styles from './Segmented.module.css'

interface SegmentedProps<Value> extends ChoiceProps<Value> {
  /** As wide as its place, all of one width. */
  isBlock?: boolean
}

/** One of a few choices of one or two words, side by side in one box. */
export function Segmented<Value>({ isBlock, ...props }: SegmentedProps<Value>) {
  return (
    <Radios
      {...props}
      look={namesOf([styles.segments, isBlock && styles.block])}
      option={namesOf([radios.option, styles.segment])}
      button={radios.cover}
    />
  )
}
