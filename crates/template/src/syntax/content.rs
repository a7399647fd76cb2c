//! The content of templates: text, control structures, definitions, and actions.

use std::sync::Arc;

use super::lexeme::{Keyword, Lexeme, LexemeKind};
use super::parser::{TemplateState, TreeParser};
use super::scope::ScopeMark;
use super::tree::{Branch, Offset, TemplateNode, TemplatePipeline};
use crate::error::TemplateError;

/// A structure whose `end` has not been reached. They wait on the heap, so that no text exhausts the stack.
struct OpenStructure<'a> {
    kind: StructureKind<'a>,
    /// The nodes before the structure, in the list to which it belongs.
    before: Vec<TemplateNode>,
}

enum StructureKind<'a> {
    Control(OpenControl),
    Definition {
        name: Arc<str>,
        around: TemplateState<'a>,
    },
    /// A definition that is executed where it stands.
    Block {
        name: Arc<str>,
        offset: Offset,
        data: TemplatePipeline,
        /// The right delimiter of the action.
        delimiter: Lexeme,
        around: TemplateState<'a>,
    },
}

struct OpenControl {
    keyword: Control,
    pipeline: TemplatePipeline,
    /// The scope before the structure.
    outside: ScopeMark,
    /// The scope after the pipeline.
    inside: ScopeMark,
    /// The content before `else`, once that is reached.
    body: Option<Box<[TemplateNode]>>,
    /// True after `else if` and `else with`: the `end` of the structure ends the one around it, too.
    is_alternative: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    If,
    With,
    Range,
}

impl Control {
    const fn name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::With => "with",
            Self::Range => "range",
        }
    }
}

/// The lists of nodes that are open: that of the file, and those of structures inside each other.
#[derive(Default)]
struct OpenLists<'a> {
    /// The innermost list.
    nodes: Vec<TemplateNode>,
    structures: Vec<OpenStructure<'a>>,
}

impl<'a> OpenLists<'a> {
    fn open(&mut self, kind: StructureKind<'a>) {
        let before = std::mem::take(&mut self.nodes);
        self.structures.push(OpenStructure { kind, before });
    }
}

impl TreeParser<'_> {
    /// Parses the content of the file, up to its end. Definitions become trees.
    pub(super) fn content(&mut self) -> Result<Box<[TemplateNode]>, TemplateError> {
        let mut lists = OpenLists::default();
        loop {
            let next = self.lexemes.next_operand();
            match next.kind {
                LexemeKind::EndOfText if lists.structures.is_empty() => return Ok(lists.nodes.into()),
                LexemeKind::EndOfText => return Err(self.error("unexpected EOF")),
                LexemeKind::Text => lists.nodes.push(TemplateNode::Text(next.value(self.text).into())),
                LexemeKind::LeftDelimiter => self.action(next, &mut lists)?,
                _ => return Err(self.unexpected(next, "input")),
            }
        }
    }
}

impl<'a> TreeParser<'a> {
    fn action(&mut self, delimiter: Lexeme, lists: &mut OpenLists<'a>) -> Result<(), TemplateError> {
        let first = self.lexemes.next_operand();
        if first.kind == LexemeKind::Keyword(Keyword::Define) && lists.structures.is_empty() {
            return self.define(lists);
        }
        self.template.action = Some(delimiter.start);
        match first.kind {
            // In the content of a structure the current action is the structure, until there is another one.
            LexemeKind::Keyword(Keyword::If) => return self.control(Control::If, false, lists),
            LexemeKind::Keyword(Keyword::With) => return self.control(Control::With, false, lists),
            LexemeKind::Keyword(Keyword::Range) => return self.control(Control::Range, false, lists),
            LexemeKind::Keyword(Keyword::Block) => return self.block(lists),
            LexemeKind::Keyword(Keyword::Else) => return self.otherwise(lists),
            LexemeKind::Keyword(Keyword::End) => {
                self.right_delimiter("end")?;
                self.end(lists)?;
            }
            LexemeKind::Keyword(Keyword::Template) => lists.nodes.push(self.template_action()?),
            LexemeKind::Keyword(Keyword::Break) => {
                self.loop_action("{{break}}")?;
                lists.nodes.push(TemplateNode::Break);
            }
            LexemeKind::Keyword(Keyword::Continue) => {
                self.loop_action("{{continue}}")?;
                lists.nodes.push(TemplateNode::Continue);
            }
            _ => {
                self.lexemes.back(first);
                lists.nodes.push(TemplateNode::Action(self.pipeline("command")?));
            }
        }
        self.template.action = None;
        Ok(())
    }

    fn define(&mut self, lists: &mut OpenLists<'a>) -> Result<(), TemplateError> {
        const CONTEXT: &str = "define clause";
        let around = self.start_template();
        let name = self.lexemes.next_operand();
        let name = self.template_name(name, CONTEXT)?;
        self.right_delimiter(CONTEXT)?;
        lists.open(StructureKind::Definition { name, around });
        Ok(())
    }

    fn block(&mut self, lists: &mut OpenLists<'a>) -> Result<(), TemplateError> {
        const CONTEXT: &str = "block clause";
        self.enter()?;
        let lexeme = self.lexemes.next_operand();
        let name = self.template_name(lexeme, CONTEXT)?;
        let data = self.pipeline(CONTEXT)?;
        let delimiter = self.lexemes.latest();
        let around = self.start_template();
        lists.open(StructureKind::Block { name, offset: lexeme.start as u32, data, delimiter, around });
        Ok(())
    }

    fn control(&mut self, keyword: Control, is_alternative: bool, lists: &mut OpenLists<'a>) -> Result<(), TemplateError> {
        self.enter()?;
        let outside = self.template.scope.mark();
        let pipeline = self.pipeline(keyword.name())?;
        let inside = self.template.scope.mark();
        self.template.ranges += usize::from(keyword == Control::Range);
        lists.open(StructureKind::Control(OpenControl { keyword, pipeline, outside, inside, body: None, is_alternative }));
        Ok(())
    }

    fn otherwise(&mut self, lists: &mut OpenLists<'a>) -> Result<(), TemplateError> {
        let next = self.lexemes.peek_operand().kind;
        if !matches!(next, LexemeKind::Keyword(Keyword::If | Keyword::With)) {
            self.right_delimiter("else")?;
        }
        self.template.action = None;
        let control = match lists.structures.last_mut().map(|structure| &mut structure.kind) {
            None => return Err(self.error("unexpected {{else}}")),
            Some(StructureKind::Definition { .. }) => return Err(self.error("unexpected {{else}} in define clause")),
            Some(StructureKind::Block { delimiter, .. }) => {
                let delimiter = *delimiter;
                return Err(self.error_at(delimiter, "unexpected {{else}} in block clause"));
            }
            Some(StructureKind::Control(OpenControl { body: Some(_), .. })) => {
                return Err(self.error("expected end; found {{else}}"));
            }
            Some(StructureKind::Control(control)) => control,
        };
        control.body = Some(std::mem::take(&mut lists.nodes).into());
        self.template.ranges -= usize::from(control.keyword == Control::Range);
        self.template.scope.end_body(control.inside);
        let keyword = match (control.keyword, next) {
            (Control::If, LexemeKind::Keyword(Keyword::If)) => Control::If,
            (Control::With, LexemeKind::Keyword(Keyword::With)) => Control::With,
            _ => return Ok(()),
        };
        self.lexemes.next();
        self.control(keyword, true, lists)
    }

    /// Ends a structure, and those whose alternative it is.
    fn end(&mut self, lists: &mut OpenLists<'a>) -> Result<(), TemplateError> {
        loop {
            let Some(OpenStructure { kind, before }) = lists.structures.pop() else {
                return Err(self.error("unexpected {{end}}"));
            };
            let nodes = std::mem::replace(&mut lists.nodes, before).into_boxed_slice();
            match kind {
                StructureKind::Control(control) => {
                    let is_alternative = control.is_alternative;
                    lists.nodes.push(self.end_control(control, nodes));
                    if is_alternative {
                        continue;
                    }
                }
                StructureKind::Definition { name, around } => {
                    self.add(name, nodes)?;
                    self.template = around;
                }
                StructureKind::Block { name, offset, data, around, .. } => {
                    self.add(name.clone(), nodes)?;
                    self.template = around;
                    self.depth -= 1;
                    lists.nodes.push(TemplateNode::Template { offset, name, data: Some(data) });
                }
            }
            return Ok(());
        }
    }

    fn end_control(&mut self, control: OpenControl, nodes: Box<[TemplateNode]>) -> TemplateNode {
        let OpenControl { keyword, pipeline, outside, body, .. } = control;
        if keyword == Control::Range && body.is_none() {
            self.template.ranges -= 1;
        }
        self.template.scope.end_structure(outside);
        self.depth -= 1;
        let (body, otherwise) = match body {
            Some(body) => (body, Some(nodes)),
            None => (nodes, None),
        };
        let branch = Branch { pipeline, body, otherwise };
        match keyword {
            Control::If => TemplateNode::If(branch),
            Control::With => TemplateNode::With(branch),
            Control::Range => TemplateNode::Range(branch),
        }
    }

    fn template_action(&mut self) -> Result<TemplateNode, TemplateError> {
        const CONTEXT: &str = "template clause";
        let lexeme = self.lexemes.next_operand();
        let name = self.template_name(lexeme, CONTEXT)?;
        let next = self.lexemes.next_operand();
        let data = if next.kind == LexemeKind::RightDelimiter {
            None
        } else {
            self.lexemes.back(next);
            Some(self.pipeline(CONTEXT)?)
        };
        Ok(TemplateNode::Template { offset: lexeme.start as u32, name, data })
    }

    fn loop_action(&mut self, context: &str) -> Result<(), TemplateError> {
        self.right_delimiter(context)?;
        if self.template.ranges == 0 {
            return Err(self.error(format!("{context} outside {{{{range}}}}")));
        }
        Ok(())
    }

    fn right_delimiter(&mut self, context: &str) -> Result<(), TemplateError> {
        let next = self.lexemes.next_operand();
        if next.kind == LexemeKind::RightDelimiter { Ok(()) } else { Err(self.unexpected(next, context)) }
    }
}
