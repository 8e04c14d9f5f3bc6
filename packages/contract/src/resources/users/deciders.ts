/** References to people who approve or review; a program decides nothing. */
export const DECIDERS = {
  to: 'user',
  except: { field: 'source', value: 'service', why: 'A service identity decides nothing: choose a person' },
} as const
