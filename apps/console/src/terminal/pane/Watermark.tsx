import { useId } from 'react'
import type { WatermarkText } from '../viewer.ts'

const MAX_CHARACTERS = 25

/** Long text keeps its beginning and its end. */
function cutInMiddle(text: string, max = MAX_CHARACTERS): string {
  const characters = [...text]
  if (characters.length <= max) return text
  const head = Math.ceil((max - 1) / 2)
  return `${characters.slice(0, head).join('')}…${characters.slice(head + 1 - max).join('')}`
}

/**
 * The person's name and the asset across the whole picture, so that a photograph tells who took it: white
 * letters with a black edge, of which one or the other differs from any ground.
 */
export function Watermark({ text, strength }: WatermarkText) {
  const id = useId()
  return (
    <svg className="wt-watermark" aria-hidden="true">
      <defs>
        <pattern id={id} width="300" height="300" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
          {text.split('\n').map((line, index) => (
            <text
              key={line}
              x="150"
              y={140 + index * 28}
              textAnchor="middle"
              fontSize="20"
              fill="#fff"
              stroke="#000"
              strokeWidth="1.5"
              paintOrder="stroke"
            >
              {cutInMiddle(line)}
            </text>
          ))}
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill={`url(#${id})`} opacity={strength} />
    </svg>
  )
}
