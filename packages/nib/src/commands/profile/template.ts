/** What a new profile has; every key may be left out, and others added. It ends as it begins, with a line of ---. */
export function profileTemplate(name: string): string {
  return `---
name: ${JSON.stringify(name)}
age: ""
location: ""
occupation: ""
role: |
  What this character is for in the story.
background: |
  Where they come from, and what made them who they are when the book begins.
goal: ""
values: []
personality: |
  How they meet others, what they hide, how they speak.
habits: []
relationships: {}
---
`;
}
