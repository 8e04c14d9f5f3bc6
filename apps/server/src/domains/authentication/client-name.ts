import bowser from 'bowser'

/** Systems whose version browsers tell truly; on desktops they froze it (Windows 11 says 10, macOS 10.15 for ever). */
const VERSIONED = ['iOS', 'Android']

/** What a program says about itself, in words that people know: `Firefox 143`, `Windows`. Empty where it does not say. */
export function clientName(userAgent: string): { browser: string; system: string } {
  // The library takes an empty text for a mistake of the programmer.
  if (!userAgent) return { browser: '', system: '' }
  const { browser, os } = bowser.parse(userAgent)
  return {
    browser: words(browser.name, browser.version?.split('.')[0]),
    system: words(os.name, VERSIONED.includes(os.name ?? '') ? os.version : undefined),
  }
}

const words = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ')
