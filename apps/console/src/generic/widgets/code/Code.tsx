import type { WidgetProps } from '../../view/form-view.ts'
import { shellWords } from './shell-words.ts'

/** Beyond this the colors are left out: they would make typing slow. */
const MAX_COLORED = 20_000

/**
 * A shell command of several lines in colors. The text area lies transparent over a colored copy,
 * which gives the box its height; so typing, selecting, undoing and screen readers are those of a
 * plain text area, and Tab goes on to the next field.
 */
export function Code({ value, onChange, field, context: _, ...props }: WidgetProps<string>) {
  const code = value ?? ''
  const words = code.length > MAX_COLORED ? [{ kind: 'plain', text: code }] : shellWords(code)
  return (
    <div className="code-field">
      <pre aria-hidden="true">
        {words.map(({ kind, text }, at) =>
          kind === 'plain' ? (
            text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no identity but their place
            <span key={at} className={`code-${kind}`}>
              {text}
            </span>
          ),
        )}
        {'\n'}
      </pre>
      <textarea
        {...props}
        value={code}
        maxLength={field.max_length}
        placeholder={field.placeholder}
        spellCheck={false}
        autoCapitalize="off"
        onChange={(event) => onChange?.(event.target.value)}
      />
    </div>
  )
}
