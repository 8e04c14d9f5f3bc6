/** States of a box with a list that has no choices, each with the properties for it. */
export const SOURCE_STATES = [
  { 'aria-label': 'Loading', source: { isLoading: true }, placeholder: 'Opens while it loads' },
  {
    'aria-label': 'Failed',
    source: { error: new Error('The server cannot be reached') },
    placeholder: 'Could not be read',
  },
  { 'aria-label': 'None', placeholder: 'Nothing to choose from' },
]
