// The live part of the pages.
