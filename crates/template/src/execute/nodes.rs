//! Text, actions and control structures.

use super::place::FailingNode;
use super::run::{Outcome, TreeExecution, with_stack};
use super::seen::{SeenValue, plain, shown};
use crate::format;
use crate::syntax::{Branch, TemplateNode, TemplatePipeline};
use crate::value::{GoMap, GoString, GoValue};

/// The way on after a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFlow {
    /// The next node follows.
    Next,
    /// The loop ends.
    Break,
    /// The iteration ends.
    Continue,
}

impl<'a> TreeExecution<'a> {
    /// Executes nodes.
    pub(super) fn nodes(&mut self, nodes: &'a [TemplateNode], dot: &SeenValue) -> Outcome<BodyFlow> {
        with_stack(|| {
            for node in nodes {
                self.step()?;
                let flow = match node {
                    TemplateNode::Text(text) => self.write(text.as_bytes()).map(|()| BodyFlow::Next)?,
                    TemplateNode::Action(pipeline) => self.action(pipeline, dot).map(|()| BodyFlow::Next)?,
                    TemplateNode::If(branch) => self.branch(branch, dot, false)?,
                    TemplateNode::With(branch) => self.branch(branch, dot, true)?,
                    TemplateNode::Range(branch) => self.range(branch, dot)?,
                    TemplateNode::Template { offset, name, data } => {
                        self.node = FailingNode::Template(node, *offset);
                        self.template(name, data.as_ref(), dot).map(|()| BodyFlow::Next)?
                    }
                    TemplateNode::Break => BodyFlow::Break,
                    TemplateNode::Continue => BodyFlow::Continue,
                };
                if flow != BodyFlow::Next {
                    return Ok(flow);
                }
            }
            Ok(BodyFlow::Next)
        })
    }

    fn action(&mut self, pipeline: &'a TemplatePipeline, dot: &SeenValue) -> Outcome<()> {
        let value = self.pipeline(pipeline, dot)?;
        if !pipeline.variables.is_empty() {
            return Ok(());
        }
        if let GoValue::String(text) = &value {
            return self.write(text.as_bytes());
        }
        let length = self.output.len();
        format::print_value(&mut self.output, &value);
        self.usage.written(self.output.len() - length).map_err(|message| self.limit(message).into())
    }

    fn branch(&mut self, branch: &'a Branch, dot: &SeenValue, is_with: bool) -> Outcome<BodyFlow> {
        let height = self.variables.len();
        let value = self.pipeline(&branch.pipeline, dot)?;
        let flow = match &branch.otherwise {
            _ if value.is_true() && is_with => self.nodes(&branch.body, &value.into())?,
            _ if value.is_true() => self.nodes(&branch.body, dot)?,
            Some(otherwise) => self.nodes(otherwise, dot)?,
            None => BodyFlow::Next,
        };
        self.variables.truncate(height);
        Ok(flow)
    }

    fn range(&mut self, branch: &'a Branch, dot: &SeenValue) -> Outcome<BodyFlow> {
        let height = self.variables.len();
        let value = self.pipeline(&branch.pipeline, dot)?;
        let is_empty = match &plain(value.clone()) {
            GoValue::Nil => true,
            GoValue::Integer(..) if branch.pipeline.variables.len() > 1 => {
                return Err(self.error(format!("can't use {} to iterate over more than one variable", shown(&value))).into());
            }
            GoValue::Integer(count, type_) => {
                for number in 0..*count {
                    let element = GoValue::Integer(number, *type_).into();
                    if self.iteration(branch, GoValue::Nil, element)? == BodyFlow::Break {
                        break;
                    }
                }
                *count <= 0
            }
            GoValue::List(list) => {
                for (index, item) in list.iter().enumerate() {
                    let element = SeenValue::of_list(list, item.clone());
                    if self.iteration(branch, GoValue::int(index as i64), element)? == BodyFlow::Break {
                        break;
                    }
                }
                list.is_empty()
            }
            GoValue::Map(map) => {
                let size = map.len() * size_of::<(GoString, GoValue)>();
                self.usage.hold(size).map_err(|message| self.limit(message))?;
                let result = self.entries(branch, map);
                self.usage.release(size);
                result?
            }
            _ => return Err(self.error(format!("range can't iterate over {}", shown(&value))).into()),
        };
        let flow = match &branch.otherwise {
            Some(otherwise) if is_empty => self.nodes(otherwise, dot)?,
            _ => BodyFlow::Next,
        };
        self.variables.truncate(height);
        Ok(flow)
    }

    /// Executes the body of a loop for the entries of a map as they are now: the body may change the map. The result is true if there are none.
    fn entries(&mut self, branch: &'a Branch, map: &GoMap) -> Outcome<bool> {
        let entries = map.entries();
        let is_empty = entries.is_empty();
        for (key, item) in entries {
            let element = SeenValue::of_map(map, item);
            if self.iteration(branch, GoValue::String(key), element)? == BodyFlow::Break {
                break;
            }
        }
        Ok(is_empty)
    }

    /// Executes the body of a loop once. The variables of the loop keep their slots, those of the body end.
    fn iteration(&mut self, branch: &'a Branch, index: GoValue, element: SeenValue) -> Outcome<BodyFlow> {
        self.step()?;
        let height = self.variables.len();
        let pipeline = &branch.pipeline;
        let values = match pipeline.variables.len() {
            0 => [None, None],
            1 => [Some(element.clone()), None],
            _ => [Some(index.into()), Some(element.clone())],
        };
        for (variable, value) in pipeline.variables.iter().zip(values.into_iter().flatten()) {
            if pipeline.assigns {
                self.assign(variable, value)?;
            } else {
                self.declare(variable, value);
            }
        }
        let flow = self.nodes(&branch.body, &element)?;
        self.variables.truncate(height);
        Ok(flow)
    }

    fn template(&mut self, name: &str, data: Option<&'a TemplatePipeline>, dot: &SeenValue) -> Outcome<()> {
        let Some(tree) = self.find(name) else {
            return Err(self.error(format!("template {} not defined", format::quote(name.as_bytes()))).into());
        };
        self.usage.enter().map_err(|message| self.limit(message))?;
        let data = data.map_or(Ok(GoValue::Nil), |pipeline| self.pipeline(pipeline, dot));
        let result = data.and_then(|data| self.call_tree(tree, data.into()));
        self.usage.leave();
        result
    }
}
